/* Data keeps its alignment wherever a task runs: aligned vector loads, and addresses modulo a page.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include "show.h"

typedef float wide __attribute__((vector_size(64)));
enum { N = 1024 * 3 };

#pragma streamap resource 1:C in(x[0:n]) inout(y[0:n])
void add(long n, const float *x, float *y)
{
    const wide *from = (const wide *)__builtin_assume_aligned(x, 64);
    wide *to = (wide *)__builtin_assume_aligned(y, 64);
    for (long i = 0; i < n / 16; i++)
        to[i] += from[i];
}

#pragma streamap resource 1:C in(x[0:n]) out(place[0:2])
void where(long n, const float *x, long *place)
{
    place[0] = (long)((uintptr_t)x % 4096);
    place[1] = n;
}

int main(void)
{
    float *x = aligned_alloc(4096, N * sizeof *x), *y = aligned_alloc(64, N * sizeof *y);
    long place[4][2];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(scramble(i) >> 20);
        y[i] = (float)i;
    }
    add(N, x, y);
    add(N - 16, x + 16, y);
    add(64, y + 64, y);
    where(N, x, place[0]);
    where(N - 16, x + 16, place[1]);
    where(N - 100, x + 100, place[2]);
    where(1, x + 1023, place[3]);
    #pragma streamap wait
    show("y", y, N * sizeof *y);
    for (int i = 0; i < 4; i++)
        printf("%ld %ld\n", place[i][0], place[i][1]);
    free(x);
    free(y);
    return 0;
}
