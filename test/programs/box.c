/* A three-dimensional stencil: sections of three dimensions, split over the middle one.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { X = 14, Y = 19, Z = 11 };

#pragma streamap resource 4:C split(y) in(a[0:X][y-1:3][0:Z]) out(b[1:X-2][y][1:Z-2])
void step(const float a[X][Y][Z], float b[X][Y][Z])
{
    for (int y = 1; y < Y - 1; y++)
        for (int x = 1; x < X - 1; x++)
            for (int z = 1; z < Z - 1; z++)
                b[x][y][z] = (a[x - 1][y][z] + a[x + 1][y][z] + a[x][y - 1][z] + a[x][y + 1][z] + a[x][y][z - 1] + a[x][y][z + 1]) / 6;
}

int main(void)
{
    static float a[X][Y][Z], b[X][Y][Z];
    float *first = (float *)a, *second = (float *)b;
    for (int i = 0; i < X * Y * Z; i++)
        first[i] = second[i] = (float)(scramble(i) % 1000);
    for (int k = 0; k < 6; k++) {
        step(a, b);
        step(b, a);
    }
    #pragma streamap wait
    show("a", a, sizeof a);
    show("b", b, sizeof b);
    return 0;
}
