/* Grey pictures in, coloured pictures out, by libpng's simplified interface.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

float *picture_read(const char *file, long *width, long *height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    png_byte *grey = NULL;
    float *values = NULL;
    if (png_image_begin_read_from_file(&image, file)) {
        image.format = PNG_FORMAT_GRAY;
        grey = malloc(PNG_IMAGE_SIZE(image));
        values = malloc(sizeof *values * image.width * image.height);
        png_color background = {0, 0, 0}; /* what shows through transparent pixels */
        if (grey && values && png_image_finish_read(&image, &background, grey, 0, NULL)) {
            for (size_t i = 0; i < (size_t)image.width * image.height; i++)
                values[i] = (float)grey[i] / 255.0f;
            *width = image.width;
            *height = image.height;
            free(grey);
            return values;
        }
    }
    fprintf(stderr, "%s: %s\n", file, image.message[0] ? image.message : "no memory");
    png_image_free(&image);
    free(grey);
    free(values);
    return NULL;
}

/* A third of the scale for each of red, green and blue. */
static png_byte channel(float value, int third)
{
    float level = value * 3.0f - (float)third;
    return level <= 0 ? 0 : level >= 1 ? 255 : (png_byte)(level * 255.0f + 0.5f);
}

int picture_write(const char *file, long width, long height, const float *values)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB};
    png_byte *pixels = malloc(PNG_IMAGE_SIZE(image));
    if (pixels)
        for (long i = 0; i < width * height; i++)
            for (int c = 0; c < 3; c++)
                pixels[3 * i + c] = channel(values[i], c);
    int written = pixels && png_image_write_to_file(&image, file, 0, pixels, 0, NULL);
    if (!written)
        fprintf(stderr, "%s: %s\n", file, image.message[0] ? image.message : "no memory");
    free(pixels);
    return written ? 0 : -1;
}
