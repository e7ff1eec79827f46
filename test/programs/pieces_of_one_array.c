/* Two and three pointers into one array in one call.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 1000 };

#pragma streamap resource 3:C split(i) in(x[i]) inout(y[i])
void axpy(long n, int a, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}

#pragma streamap resource 4:C split(i) in(x[i], y[i]) out(z[i])
void join(long n, const int *x, const int *y, int *z)
{
    for (long i = 0; i < n; i++)
        z[i] = x[i] - 3 * y[i];
}

int main(void)
{
    static int a[3 * N];
    scramble_ints(3 * N, a, 1);
    axpy(N, 5, a, a + N);
    join(N, a, a + N, a + 2 * N);
    axpy(N, -7, a + 2 * N, a);
    axpy(N / 2, 3, a + N / 2, a + 2 * N); /* pieces that straddle those of before */
    #pragma streamap wait
    show("all", a, sizeof a);
    return 0;
}
