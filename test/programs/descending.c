/* Split loops that run downwards, by other steps than one, up to !=, and over unsigned indices: each keeps its serial step grid.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 500 };

#pragma streamap resource 3:C split(i) inout(x[i])
void down(long n, int *x)
{
    for (long i = n - 1; i >= 0; i--)
        x[i] = x[i] * 3 + (int)i;
}

#pragma streamap resource 4:C split(i) inout(x[i])
void down_by_three(long n, int *x)
{
    for (long i = n - 1; i > 2; i -= 3)
        x[i] ^= 0x55;
}

#pragma streamap resource 5:C split(i) inout(x[i-1])
void down_unsigned(unsigned n, int *x)
{
    for (unsigned i = n; i > 0; i--)
        x[i - 1] += (int)i;
}

#pragma streamap resource 2:C split(i) inout(x[i])
void up_by_seven(int n, int *x)
{
    for (int i = 5; i <= n; i += 7)
        x[i] = -x[i];
}

#pragma streamap resource 3:C split(i) inout(x[i])
void up_to(short n, int *x)
{
    for (short i = 0; i != n; ++i)
        x[i] += i * i;
}

#pragma streamap resource 7:C split(i) inout(x[2*i+1])
void every_other(unsigned char n, int *x)
{
    for (unsigned char i = 0; i < n; i += 1)
        x[2 * i + 1] -= i;
}

int main(void)
{
    int x[N];
    scramble_ints(N, x, 12);
    down(N, x);
    down_by_three(N, x);
    down_by_three(N - 1, x);
    down_unsigned(N, x);
    up_by_seven(N - 1, x);
    up_to(N, x);
    every_other(240, x);
    #pragma streamap wait
    show("x", x, sizeof x);
    return 0;
}
