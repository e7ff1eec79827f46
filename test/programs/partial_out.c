/* An out section of which the task writes only a part: the rest keeps its old contents.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 301 };

#pragma streamap resource 1:C out(y[0:n])
void evens(long n, int k, int *y)
{
    for (long i = 0; i < n; i += 2)
        y[i] = k + (int)i;
}

#pragma streamap resource 3:C split(i) in(x[i]) out(y[i])
void where_odd(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        if (x[i] & 1)
            y[i] = x[i];
}

#pragma streamap resource 1:C out(y[0:n])
void first_only(long n, int *y)
{
    if (n > 0)
        y[0] = 4711;
}

int main(void)
{
    int x[N], y[N];
    scramble_ints(N, x, 6);
    scramble_ints(N, y, 7);
    evens(N, 100, y);
    where_odd(N, x, y);
    #pragma streamap wait
    show("y", y, sizeof y);
    where_odd(N, y, x);
    evens(N / 2, 5, x + 1);
    first_only(N, x);
    first_only(N, y);
    #pragma streamap wait
    show("x", x, sizeof x);
    show("y", y, sizeof y);
    return 0;
}
