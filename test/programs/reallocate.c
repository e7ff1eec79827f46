/* Between waits main writes, frees and allocates again, often at the same address: copies elsewhere must not be taken for the new data.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "show.h"

enum { N = 20000 };

#pragma streamap resource 3:C split(i) in(x[i]) out(y[i])
void twice(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] = 2 * x[i];
}

int main(void)
{
    static int y[N];
    for (int round = 0; round < 6; round++) {
        int *x = malloc(N * sizeof *x); /* the allocator gives the same address every time */
        scramble_ints(N, x, 20 + round / 2);
        twice(N, x, y);
        #pragma streamap wait
        show("heap", y, sizeof y);
        x[round] ^= 1; /* one changed bit */
        x[N - 1 - round] ^= 1;
        twice(N, x, y);
        #pragma streamap wait
        show("one bit", y, sizeof y);
        free(x);
    }
    void *place = NULL;
    for (int round = 0; round < 4; round++) { /* surely the same address */
        int *x = mmap(place, N * sizeof *x, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0), -1, 0);
        if (x == MAP_FAILED)
            return 1;
        place = x;
        if (round != 2)
            scramble_ints(N, x, 30 + round);
        twice(N, x, y);
        #pragma streamap wait
        show("mapping", y, sizeof y);
        if (round % 2)
            munmap(x, N * sizeof *x);
    }
    return 0;
}
