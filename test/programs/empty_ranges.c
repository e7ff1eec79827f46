/* Nothing to do: loops without iterations, more tasks than iterations, sections of length zero and below.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 50 };

#pragma streamap resource 6:C split(i) in(x[i]) inout(y[i])
void add(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] += x[i];
}

#pragma streamap resource 3:C split(i) in(x[i][0:m]) inout(y[i][0:m])
void add_rows(long n, long m, const int x[n][N], int y[n][N])
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            y[i][j] += x[i][j];
}

#pragma streamap resource 1:C in(x[from:to-from]) inout(y[0:1])
void sum(long from, long to, const int *x, int *y)
{
    for (long i = from; i < to; i++)
        *y += x[i];
}

#pragma streamap resource 4:C split(i) in(x[i]) reduction(+: y[0:1])
void total(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[0] += x[i];
}

int main(void)
{
    static int x[4][N], y[4][N];
    int s = 17;
    scramble_ints(4 * N, x[0], 16);
    scramble_ints(4 * N, y[0], 17);
    add(0, x[0], y[0]);
    add(-5, x[0], y[0]);
    add(1, x[0], y[0]);
    add(4, x[1], y[1]);
    add(0, NULL, NULL);
    add_rows(4, 0, x, y);
    add_rows(0, 5, x, y);
    add_rows(2, 7, x, y);
    sum(10, 10, x[0], &s);
    sum(10, 3, x[0], &s);
    sum(10, 13, x[0], &s);
    total(0, x[0], &s);
    total(3, x[0], &s);
    #pragma streamap wait
    #pragma streamap wait on(x[0][0:0])
    show("y", y, sizeof y);
    printf("%d\n", s);
    return 0;
}
