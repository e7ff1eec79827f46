/* A halo that sticks out at both ends is clipped to the extent; the body guards its edges.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include "show.h"

enum { N = 333 };

#pragma streamap resource 4:C split(i) extent(x[0:n], y[0:n]) in(x[i-2:5]) out(y[i])
void smooth(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++) {
        int sum = 0;
        for (long k = -2; k <= 2; k++)
            if (i + k >= 0 && i + k < n)
                sum += x[i + k];
        y[i] = sum / 5;
    }
}

int main(void)
{
    int *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    scramble_ints(N, x, 13);
    for (int k = 0; k < 6; k++) {
        smooth(N, x, y);
        smooth(N, y, x);
    }
    smooth(1, x, y);
    smooth(2, x + 5, y + 1);
    #pragma streamap wait
    show("x", x, N * sizeof *x);
    show("y", y, N * sizeof *y);
    free(x);
    free(y);
    return 0;
}
