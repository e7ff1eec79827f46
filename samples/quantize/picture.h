// Pictures in and out: the three things that quantize needs of libpng.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PICTURE_H
#define PICTURE_H

#include <cstdint>
#include <string>
#include <vector>

template <typename Channel>
struct Pixel {
    Channel red, green, blue;
};

using Colour = Pixel<std::uint8_t>;

// Rows of pixels, from the top.
struct Picture {
    int width = 0, height = 0; // pixels
    std::vector<Colour> pixels;
};

// Reads any PNG; what is transparent shows black. Throws std::runtime_error with the file and why.
Picture readPicture(const std::string &file);

// Writes a picture. Throws std::runtime_error with the file and why.
void writePicture(const std::string &file, const Picture &picture);

// Writes a picture with a palette of at most 256 colours: one number of a colour a pixel. Throws std::runtime_error likewise.
void writePicture(const std::string &file, int width, int height, const std::vector<Colour> &palette, const std::vector<std::uint8_t> &numbers);

#endif
