/* A scratch buffer is discarded and freed while nothing else waits; its memory is used again for other things.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include <string.h>
#include "show.h"

enum { N = 30000 };

#pragma streamap resource 3:C split(i) in(x[i]) out(t[i])
void square(long n, const int *x, int *t)
{
    for (long i = 0; i < n; i++)
        t[i] = x[i] * x[i];
}

#pragma streamap resource 3:C split(i) in(t[i]) inout(y[i])
void gather(long n, const int *t, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] ^= t[i] >> 3;
}

int main(void)
{
    static int x[N], y[N];
    scramble_ints(N, x, 60);
    for (int round = 0; round < 5; round++) {
        int *t = malloc(N * sizeof *t);
        square(N, x, t);
        gather(N, t, y);
        #pragma streamap discard(t[0:N])
        memset(t, 0x5a, N * sizeof *t);
        free(t);
        int *u = calloc(N, sizeof *u); /* likely the same bytes, now main's */
        u[round] = round;
        gather(N, u, y);
        #pragma streamap wait
        show("u", u, N * sizeof *u);
        free(u);
    }
    show("y", y, sizeof y);
    return 0;
}
