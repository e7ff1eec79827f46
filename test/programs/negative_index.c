/* Split loops over negative indices and pointers into the middle of an array.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 300 };

#pragma streamap resource 4:C split(i) inout(x[i])
void around(int n, int *x)
{
    for (int i = -n; i <= n; i++)
        x[i] = x[i] * 3 - i;
}

#pragma streamap resource 3:C split(i) in(x[-i]) out(y[i+n])
void mirror(int n, const int *x, int *y)
{
    for (int i = -n; i < n; i++)
        y[i + n] = x[-i];
}

#pragma streamap resource 1:C extent(x[-2:5]) in(x[-2:5]) out(y[0:1])
void five(const int *x, int *y)
{
    *y = x[-2] + x[-1] + x[0] + x[1] + x[2];
}

int main(void)
{
    static int x[2 * N + 1], y[2 * N], z;
    scramble_ints(2 * N + 1, x, 180);
    around(N, x + N);
    mirror(N, x + N, y);
    around(10, x + 20);
    five(x + 40, &z);
    #pragma streamap wait
    show("x", x, sizeof x);
    show("y", y, sizeof y);
    printf("%d\n", z);
    return 0;
}
