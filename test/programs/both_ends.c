/* Two sections of one pointer, the first and the last element: what lies between belongs to main.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 100 };

#pragma streamap resource 1:C in(a[0:1], a[n-1:1]) out(b[0:2])
void ends(long n, const int *a, int *b)
{
    b[0] = a[0];
    b[1] = a[n - 1];
}

#pragma streamap resource 1:C inout(a[0:1]) inout(a[n-1:1])
void swap_ends(long n, int *a)
{
    int first = a[0];
    a[0] = a[n - 1];
    a[n - 1] = first;
}

int main(void)
{
    int a[N], b[2], c[2];
    scramble_ints(N, a, 5);
    ends(N, a, b);
    for (int i = 1; i < N - 1; i++) /* not given away */
        a[i] = -i;
    swap_ends(N, a);
    for (int i = 1; i < N - 1; i++)
        a[i] -= i * i;
    ends(N, a, c);
    #pragma streamap wait
    show("a", a, sizeof a);
    printf("%d %d, %d %d\n", b[0], b[1], c[0], c[1]);
    return 0;
}
