/* A pragma at the call leaves the function's clauses as they are: an out section that the body may leave untouched keeps its old
 * contents, at every place in program order.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 200 };

#pragma streamap resource 2:C split(i) in(x[i]) out(y[i])
void odd_ones(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i += 2)
        if (x[i] & 1)
            y[i] = x[i];
}

#pragma streamap resource 1:C out(y[0:n])
void every_third(long n, int k, int *y)
{
    for (long i = 0; i < n; i += 3)
        y[i] = k;
}

int main(void)
{
    static int x[N], y[N];
    scramble_ints(N, x, 300);
    scramble_ints(N, y, 301);
    for (int k = 0; k < 4; k++) {
        #pragma streamap resource 5:C
        odd_ones(N, x, y);
        #pragma streamap resource 1:C priority(k)
        every_third(N / 2, k, y);
        #pragma streamap resource 1:C out(y[0:n])
        every_third(N / 4, -k, x);
    }
    #pragma streamap wait
    show("x", x, sizeof x);
    show("y", y, sizeof y);
    return 0;
}
