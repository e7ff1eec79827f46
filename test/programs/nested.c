/* Tasks that call tasks, themselves among them: inside a task a call runs at once.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 512 };

#pragma streamap resource 2:C split(i) inout(x[i])
void add(long n, int k, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] += k;
}

#pragma streamap resource 1:C in(x[0:n]) out(sum[0:1])
void tree(long n, const int *x, long *sum)
{
    if (n <= 4) {
        long s = 0;
        for (long i = 0; i < n; i++)
            s = s * 5 + x[i];
        *sum = s;
    } else {
        long left, right;
        tree(n / 2, x, &left);
        tree(n - n / 2, x + n / 2, &right);
        #pragma streamap wait
        *sum = left * 7 + right;
    }
}

#pragma streamap resource 1:C inout(x[0:n])
void add_twice(long n, int *x)
{
    add(n, 1, x);
    #pragma streamap wait
    x[0] *= 2;
    add(n, 2, x);
}

static void quarters(long n, int depth, int *x)
{
    if (depth == 0) {
        add_twice(n, x);
        return;
    }
    for (int q = 0; q < 4; q++)
        quarters(n / 4, depth - 1, x + q * (n / 4));
    add(n, depth, x);
}

int main(void)
{
    static int x[N];
    long sums[2];
    scramble_ints(N, x, 130);
    tree(N, x, &sums[0]);
    quarters(N, 2, x);
    tree(N - 3, x, &sums[1]);
    #pragma streamap wait
    show("x", x, sizeof x);
    printf("%ld %ld\n", sums[0], sums[1]);
    return 0;
}
