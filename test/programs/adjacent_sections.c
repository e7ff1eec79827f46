/* Two sections that touch are two: a reader over the seam needs both writers, a reader of one side only one.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

#pragma streamap resource 1:C out(a[0:n])
void fill(long n, int ms, int k, int *a)
{
    take_ms(ms);
    for (long i = 0; i < n; i++)
        a[i] = k + (int)i;
}

#pragma streamap resource 1:C in(a[3:4]) out(b[0:4])
void seam(const int *a, int *b)
{
    for (int i = 0; i < 4; i++)
        b[i] = a[3 + i];
}

#pragma streamap resource 1:C in(a[0:5], a[5:5]) out(b[0:10])
void both(const int *a, int *b)
{
    for (int i = 0; i < 10; i++)
        b[9 - i] = a[i];
}

int main(void)
{
    int a[10], b[4][4], c[10];
    for (int i = 0; i < 10; i++)
        a[i] = -i;
    for (int k = 0; k < 4; k++) {
        fill(5, k % 2 * 10, 100 * k, a);
        fill(5, 10 - k % 2 * 10, 1000 * k, a + 5);
        seam(a, b[k]);
    }
    both(a, c);
    #pragma streamap wait
    for (int k = 0; k < 4; k++)
        printf("%d %d %d %d\n", b[k][0], b[k][1], b[k][2], b[k][3]);
    for (int i = 0; i < 10; i++)
        printf("%d%c", c[i], i < 9 ? ' ' : '\n');
    return 0;
}
