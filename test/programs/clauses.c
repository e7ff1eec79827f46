/* Clauses that only advise: priority, cores, memory, share, cost, once, assume, and no list at all. None changes an answer.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 300 };

#pragma streamap resource 2:C, 1:C split(i) in(x[i]) out(assume: y[i]) priority(k) cost(n * 2.0) memory(n * 8) share(50)
void one(long n, int k, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[i] + k;
}

#pragma streamap resource 1:C once in(x[0:n]) inout(y[0:n]) cores(1)
void two(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] ^= x[n - 1 - i];
}

#pragma streamap resource in(x[0:n]) inout(y[0:n])
void three(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] -= x[i] / 2;
}

int main(void)
{
    static int x[N], y[N];
    scramble_ints(N, x, 210);
    for (int k = 0; k < 8; k++) {
        one(N, k % 3, x, y);
        two(N, x, y);
        three(N, y, x);
    }
    #pragma streamap wait
    show("x", x, sizeof x);
    show("y", y, sizeof y);
    return 0;
}
