/* The same pointer for every parameter, in one task and in a split launch.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 777 };

#pragma streamap resource 4:C split(i) in(x[i], y[i]) inout(z[i])
void mix(long n, const int *x, const int *y, int *z)
{
    for (long i = 0; i < n; i++)
        z[i] = x[i] * 3 + y[i] - z[i] / 2;
}

#pragma streamap resource 1:C in(x[0:n]) inout(y[0:n])
void fold(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[n - 1 - i] ^= x[i];
}

int main(void)
{
    int a[N], b[N];
    scramble_ints(N, a, 3);
    scramble_ints(N, b, 4);
    mix(N, a, a, a);
    mix(N, a, b, a);
    fold(N, a, a);
    mix(N, a, a, b);
    fold(N, b, b);
    #pragma streamap wait
    show("a", a, sizeof a);
    show("b", b, sizeof b);
    return 0;
}
