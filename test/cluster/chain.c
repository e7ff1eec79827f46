/* A chain of tasks over two arrays: what one worker wrote, the next one needs, and main needs none of it until the end.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000 }; /* 400,000 bytes an array */

#pragma streamap resource 1:C in(x[0:n]) out(assume: y[0:n])
void step(long n, const unsigned *x, unsigned *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[n - 1 - i] * 5 + 1;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 24; /* even */
    static unsigned a[N], b[N];
    for (long i = 0; i < N; i++)
        a[i] = (unsigned)i;
    for (int s = 0; s < steps; s += 2) {
        step(N, a, b);
        step(N, b, a);
    }
    #pragma streamap wait
    unsigned sum = 0;
    for (long i = 0; i < N; i++)
        sum = sum * 31 + a[i] + b[i];
    printf("%u\n", sum);
    return 0;
}
