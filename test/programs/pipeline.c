/* A long double-buffered pipeline with reads of one number every few steps, and main at work in between.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 2000, STEPS = 60 };

#pragma streamap resource 3:C split(i) extent(a[0:n], b[0:n]) in(a[i-1:3]) out(b[i])
void step(long n, const int *a, int *b)
{
    for (long i = 0; i < n; i++)
        b[i] = (i > 0 ? a[i - 1] : 0) / 3 + a[i] / 3 + (i < n - 1 ? a[i + 1] : 7) / 3;
}

#pragma streamap resource 2:C split(i) in(a[i]) reduction(max: most[0:1])
void largest(long n, const int *a, int *most)
{
    for (long i = 0; i < n; i++)
        if (a[i] > *most)
            *most = a[i];
}

int main(void)
{
    static int a[N], b[N];
    int *from = a, *to = b, most = 0, history[STEPS], known = 0;
    scramble_ints(N, a, 150);
    for (int s = 0; s < STEPS; s++) {
        step(N, from, to);
        if (s % 5 == 4) {
            most = 0;
            largest(N, to, &most);
            #pragma streamap wait on(most)
            history[known++] = most;
        }
        if (s % 20 == 10) { /* a disturbance from outside */
            #pragma streamap wait on(to[500:10])
            for (int i = 500; i < 510; i++)
                to[i] += 1000000;
        }
        int *t = from;
        from = to;
        to = t;
    }
    #pragma streamap wait
    show("field", from, N * sizeof *from);
    show("history", history, known * sizeof *history);
    return 0;
}
