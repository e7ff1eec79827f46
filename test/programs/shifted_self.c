/* axpy(n, a, x, x + 1) is a recurrence: the split launch runs as one task, and says so; the same task on two arrays does not.
 * expect-stderr: axpy.*(one|single)
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 1000 };

#pragma streamap resource 4:C split(i) in(x[i]) inout(y[i])
void axpy(long n, int a, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}

int main(void)
{
    int x[N + 1], y[N];
    scramble_ints(N + 1, x, 9);
    scramble_ints(N, y, 10);
    axpy(N, 3, x, y);
    axpy(N, 3, x, x + 1);
    axpy(N, 5, x, y);
    axpy(N, 7, y, x);
    #pragma streamap wait
    show("x", x, sizeof x);
    show("y", y, sizeof y);
    return 0;
}
