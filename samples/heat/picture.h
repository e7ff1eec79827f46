/* Grey pictures in, coloured pictures out: the two things that heat needs of libpng.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef PICTURE_H
#define PICTURE_H

/* Reads any PNG as brightness, 0 (black) to 1 (white), row by row. Returns the rows (to be freed) and sets *width and *height in
 * pixels; on an error prints why and returns null. */
float *picture_read(const char *file, long *width, long *height);

/* Writes one pixel a value: 0 and below is black, then red, orange, yellow, and white for 1 and above. Returns 0; on an error prints
 * why and returns -1. */
int picture_write(const char *file, long width, long height, const float *values);

#endif
