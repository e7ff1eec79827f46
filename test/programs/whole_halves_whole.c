/* A task on the whole array, tasks on pieces of it, tasks on the whole again, with no wait between.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 5000 };

#pragma streamap resource 1:C inout(x[0:n])
void stir(long n, int k, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] = x[(i * 7 + k) % n] ^ (int)i;
}

#pragma streamap resource 1:C in(x[0:n]) out(y[0:1])
void sum(long n, const int *x, unsigned *y)
{
    unsigned s = 0;
    for (long i = 0; i < n; i++)
        s = s * 3 + (unsigned)x[i];
    *y = s;
}

int main(void)
{
    static int x[N];
    unsigned sums[40];
    scramble_ints(N, x, 80);
    int k = 0;
    for (int round = 0; round < 5; round++) {
        stir(N, round, x);
        sum(N, x, &sums[k++]);
        stir(N / 2, round, x);
        stir(N - N / 2, round, x + N / 2);
        sum(N, x, &sums[k++]);
        for (int piece = 0; piece < 5; piece++)
            stir(N / 7, piece, x + piece * (N / 7) + 3);
        sum(N / 3, x + N / 3, &sums[k++]);
    }
    stir(N, 9, x);
    #pragma streamap wait
    show("x", x, sizeof x);
    show("sums", sums, k * sizeof *sums);
    return 0;
}
