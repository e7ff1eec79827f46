// A picture in few colours, by k-means.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each round gives every pixel the nearest of k colours, and moves each colour to the mean of its pixels, until none moves. Pixels are
// cut among the tasks; what comes home between rounds are the sums over the pixels of each colour.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <unistd.h>

#include "picture.h"

// Where a colour stands between rounds.
using Centre = Pixel<float>;

template <typename A, typename B>
constexpr float squaredDistance(const Pixel<A> &a, const Pixel<B> &b)
{
    const float red = float(a.red) - float(b.red), green = float(a.green) - float(b.green), blue = float(a.blue) - float(b.blue);
    return red * red + green * green + blue * blue;
}

// For each pixel the number of the nearest centre. sums has four numbers a centre: its pixels' red, green and blue, and how many they are;
// error is the sum of the squared distances in units of 1/16. Whole numbers add up to the same in any order.
#pragma streamap resource *:C split(i) in(pixels[i], centres) out(numbers[i]) reduction(+: sums[0:4*centres.size()], error)
template <typename Channel>
void nearest(std::span<const Pixel<Channel>> pixels, std::span<const Centre> centres, std::uint8_t *numbers, std::int64_t *sums,
             std::int64_t &error)
{
    for (std::size_t i = 0; i < pixels.size(); i++) {
        std::size_t best = 0;
        float distance = std::numeric_limits<float>::max();
        for (std::size_t c = 0; c < centres.size(); c++)
            if (const float d = squaredDistance(pixels[i], centres[c]); d < distance) {
                distance = d;
                best = c;
            }
        numbers[i] = static_cast<std::uint8_t>(best);
        sums[4 * best] += pixels[i].red;
        sums[4 * best + 1] += pixels[i].green;
        sums[4 * best + 2] += pixels[i].blue;
        sums[4 * best + 3] += 1;
        error += static_cast<std::int64_t>(16 * distance);
    }
}

// A picture to start from when none is given: a sun that goes down behind hills.
static Picture sunset(int width, int height)
{
    Picture picture{width, height, std::vector<Colour>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
    const auto byte = [](double value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)); };
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const double u = double(x) / width, v = double(y) / height;
            double red = 40 + 230 * v, green = 50 + 110 * v, blue = 130 - 60 * v;
            const double sun = std::hypot(u - 0.6, (v - 0.55) * height / width);
            red += 220 * std::exp(-30 * sun), green += 160 * std::exp(-40 * sun), blue += 40 * std::exp(-60 * sun);
            for (int hill = 0; hill < 3; hill++)
                if (v > 0.62 + 0.11 * hill + 0.06 * std::sin(5 * u * (hill + 1) + 2 * hill)) {
                    red = 60 - 18 * hill + 20 * v;
                    green = 75 - 15 * hill - 25 * v;
                    blue = 70 - 20 * hill;
                }
            picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] = {byte(red), byte(green), byte(blue)};
        }
    return picture;
}

// k pixels to begin with, each as far as can be from those before; fewer where the picture has fewer colours.
static std::vector<Centre> firstCentres(const Picture &picture, std::size_t k)
{
    std::vector<Centre> centres;
    std::vector<float> distance(picture.pixels.size(), std::numeric_limits<float>::max());
    for (std::size_t next = picture.pixels.size() / 2; centres.size() < k; ) {
        const Colour &colour = picture.pixels[next];
        centres.push_back({float(colour.red), float(colour.green), float(colour.blue)});
        for (std::size_t i = 0; i < distance.size(); i++)
            distance[i] = std::min(distance[i], squaredDistance(picture.pixels[i], centres.back()));
        next = static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
        if (distance[next] == 0)
            break;
    }
    return centres;
}

struct Result {
    std::vector<Colour> palette;
    std::vector<std::uint8_t> numbers; // one a pixel
    int rounds = 0;
    double error = 0; // root of the mean squared distance
};

static Result quantize(const Picture &picture, std::size_t k, int mostRounds)
{
    std::vector<Centre> centres = firstCentres(picture, k);
    Result result;
    result.numbers.resize(picture.pixels.size());
    for (bool moved = true; moved && result.rounds < mostRounds; result.rounds++) {
        std::vector<std::int64_t> sums(4 * centres.size());
        std::int64_t error = 0;
        nearest<std::uint8_t>(picture.pixels, centres, result.numbers.data(), sums.data(), error);
        #pragma streamap wait on(sums, error, centres)
        moved = false;
        for (std::size_t c = 0; c < centres.size(); c++) {
            const double red = double(sums[4 * c]), green = double(sums[4 * c + 1]), blue = double(sums[4 * c + 2]), count = double(sums[4 * c + 3]);
            if (count == 0)
                continue;
            const Centre mean{float(red / count), float(green / count), float(blue / count)};
            moved = moved || squaredDistance(mean, centres[c]) > 0.01f;
            centres[c] = mean;
        }
        result.error = std::sqrt(double(error) / 16 / double(picture.pixels.size()));
    }
    #pragma streamap wait
    for (const auto &[red, green, blue] : centres)
        result.palette.push_back({static_cast<std::uint8_t>(std::lround(red)), static_cast<std::uint8_t>(std::lround(green)),
                                  static_cast<std::uint8_t>(std::lround(blue))});
    return result;
}

// Tells two results that differ in a single pixel apart.
static std::uint64_t fingerprint(const Result &result)
{
    std::uint64_t hash = 14695981039346656037u;
    const auto add = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 1099511628211u; };
    for (const auto &[red, green, blue] : result.palette)
        add(red), add(green), add(blue);
    std::for_each(result.numbers.begin(), result.numbers.end(), add);
    return hash;
}

struct Options {
    long colours = 16;
    int rounds = 60; // at most
    std::string output, scene, input;
};

static Options readOptions(int argc, char **argv)
{
    Options options;
    for (int c; (c = getopt(argc, argv, "k:n:o:s:")) != -1;)
        switch (c) {
        case 'k': options.colours = std::strtol(optarg, nullptr, 10); break;
        case 'n': options.rounds = static_cast<int>(std::strtol(optarg, nullptr, 10)); break;
        case 'o': options.output = optarg; break;
        case 's': options.scene = optarg; break;
        default: options.colours = 0;
        }
    if (optind < argc)
        options.input = argv[optind];
    if (options.colours < 1 || options.colours > 256 || options.rounds < 1 || optind + 1 < argc)
        throw std::invalid_argument(std::string("usage: ") + argv[0] + " [-k colours, 1 to 256] [-n most rounds] [-o result.png] [-s scene.png] [picture.png]");
    return options;
}

int main(int argc, char **argv)
{
    try {
        const Options options = readOptions(argc, argv);
        const Picture picture = options.input.empty() ? sunset(240, 160) : readPicture(options.input);
        if (!options.scene.empty())
            writePicture(options.scene, picture);
        const Result result = quantize(picture, static_cast<std::size_t>(options.colours), options.rounds);
        if (!options.output.empty())
            writePicture(options.output, picture.width, picture.height, result.palette, result.numbers);
        std::printf("quantize: %d x %d, %zu colours, %d rounds, error %.6f, fingerprint %016llx\n", picture.width, picture.height,
                    result.palette.size(), result.rounds, result.error, static_cast<unsigned long long>(fingerprint(result)));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
