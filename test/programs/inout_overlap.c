/* An in section and an inout section of one task overlap: the task sees its own writes through both pointers.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 500 };

#pragma streamap resource 1:C in(x[0:n]) inout(y[0:n])
void running_sum(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] += x[i]; /* with y == x + 1 each turn reads what the last one wrote */
}

#pragma streamap resource 1:C in(x[0:n]) out(y[0:n])
void copy_backwards(long n, const int *x, int *y)
{
    for (long i = n - 1; i >= 0; i--)
        y[i] = x[i];
}

int main(void)
{
    int a[N + 50];
    scramble_ints(N + 50, a, 2);
    running_sum(N, a, a + 1);
    running_sum(N, a, a + 7);
    copy_backwards(N, a, a + 50);
    running_sum(N, a + 3, a);
    #pragma streamap wait
    show("a", a, sizeof a);
    return 0;
}
