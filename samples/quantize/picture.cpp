// Pictures in and out, by libpng's simplified interface.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.h"

#include <cstddef>
#include <png.h>
#include <stdexcept>

namespace {

// An image as libpng sees it; what it holds is freed at the end.
class Image : public png_image {
public:
    Image(int imageWidth, int imageHeight, png_uint_32 imageFormat) : png_image()
    {
        version = PNG_IMAGE_VERSION;
        width = static_cast<png_uint_32>(imageWidth);
        height = static_cast<png_uint_32>(imageHeight);
        format = imageFormat;
    }
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;
    ~Image() { png_image_free(this); }

    void check(int done, const std::string &file) const
    {
        if (!done)
            throw std::runtime_error(file + ": " + message);
    }
};

static_assert(sizeof(Colour) == 3, "a row of colours is what libpng takes");

} // namespace

Picture readPicture(const std::string &file)
{
    Image image(0, 0, 0);
    image.check(png_image_begin_read_from_file(&image, file.c_str()), file);
    image.format = PNG_FORMAT_RGB;
    Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
    picture.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
    const png_color background = {0, 0, 0};
    image.check(png_image_finish_read(&image, &background, picture.pixels.data(), 0, nullptr), file);
    return picture;
}

void writePicture(const std::string &file, const Picture &picture)
{
    Image image(picture.width, picture.height, PNG_FORMAT_RGB);
    image.check(png_image_write_to_file(&image, file.c_str(), 0, picture.pixels.data(), 0, nullptr), file);
}

void writePicture(const std::string &file, int width, int height, const std::vector<Colour> &palette, const std::vector<std::uint8_t> &numbers)
{
    Image image(width, height, PNG_FORMAT_RGB_COLORMAP);
    image.colormap_entries = static_cast<png_uint_32>(palette.size());
    image.check(png_image_write_to_file(&image, file.c_str(), 0, numbers.data(), 0, palette.data()), file);
}
