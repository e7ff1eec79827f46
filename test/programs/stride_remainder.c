/* Strides that do not divide the length, with chunks that begin anywhere in the stride.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 997 };

#pragma streamap resource 6:C split(i) inout(x[i])
void step(long first, long n, long by, int k, int *x)
{
    for (long i = first; i < n; i += by)
        x[i] = x[i] * k + (int)by;
}

#pragma streamap resource 5:C split(i) in(x[3*i:2]) out(y[i])
void pairs(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[3 * i] - x[3 * i + 1];
}

int main(void)
{
    static int x[N], y[N];
    scramble_ints(N, x, 100);
    for (long by = 1; by < 20; by++)
        step(by / 2, N, by, 3, x);
    step(0, N, 5000, 7, x);
    step(N - 1, N, 2, 7, x);
    for (int k = 0; k < 4; k++) {
        pairs(N / 3, x, y);
        step(k, N, 4, 5, x); /* touches some of what pairs reads */
        pairs(N / 3 - 1, x + 1, y + N / 2);
    }
    #pragma streamap wait
    show("x", x, sizeof x);
    show("y", y, sizeof y);
    return 0;
}
