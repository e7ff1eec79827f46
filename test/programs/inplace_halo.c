/* A split launch whose tasks are not independent (each element reads its neighbours in place) runs as one task, and says so.
 * expect-stderr: relax.*(one|single)
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 400 };

#pragma streamap resource 4:C split(i) extent(x[0:n]) in(x[i-1:3]) inout(x[i])
void relax(long n, int *x)
{
    for (long i = 1; i < n - 1; i++)
        x[i] = (x[i - 1] + 2 * x[i] + x[i + 1]) / 4;
}

int main(void)
{
    int x[N];
    scramble_ints(N, x, 8);
    for (int k = 0; k < 5; k++)
        relax(N, x);
    #pragma streamap wait
    show("x", x, sizeof x);
    return 0;
}
