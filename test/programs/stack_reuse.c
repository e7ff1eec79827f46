/* Arrays in the frames of functions that are called again and again, at the same and at other depths.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 300 };

#pragma streamap resource 2:C split(i) in(x[i]) inout(y[i])
void add(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] += 3 * x[i];
}

static int __attribute__((noinline)) once(int seed)
{
    int x[N], y[N], sum = 0;
    scramble_ints(N, x, seed);
    for (int i = 0; i < N; i++)
        y[i] = i;
    add(N, x, y);
    add(N - 1, y, x + 1);
    #pragma streamap wait
    for (int i = 0; i < N; i++)
        sum = sum * 31 + x[i] + y[i];
    return sum;
}

static int __attribute__((noinline)) deep(int depth, int seed)
{
    volatile char frame[64];
    frame[0] = (char)depth;
    return depth == 0 ? once(seed) : deep(depth - 1, seed) + frame[0];
}

int main(void)
{
    for (int k = 0; k < 12; k++)
        printf("%d %d\n", once(k / 2), deep(k % 4, k / 3));
    return 0;
}
