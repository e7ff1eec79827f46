/* exit() in the middle, with tasks outstanding: everything is home before the handlers of atexit run.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include "show.h"

enum { N = 1000 };
static int *heap, fixed[N];

#pragma streamap resource 3:C split(i) inout(x[i])
void add(long n, int k, int *x)
{
    take_ms(5);
    for (long i = 0; i < n; i++)
        x[i] += k;
}

static void last(void)
{
    show("heap", heap, N * sizeof *heap);
    show("static", fixed, sizeof fixed);
}

static void leave(void)
{
    exit(0);
}

int main(void)
{
    heap = calloc(N, sizeof *heap);
    atexit(last);
    for (int k = 0; k < 6; k++) {
        add(N, k, heap);
        add(N, k, fixed);
    }
    leave();
    return 1;
}
