/* main returns with static data out and no wait: it is home when the handlers of atexit run.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include "show.h"

enum { N = 1000 };
static int fixed[N];

#pragma streamap resource 3:C split(i) inout(x[i])
void add(long n, int k, int *x)
{
    take_ms(5);
    for (long i = 0; i < n; i++)
        x[i] += k;
}

static void last(void)
{
    show("static", fixed, sizeof fixed);
}

int main(void)
{
    atexit(last);
    for (int k = 0; k < 10; k++)
        add(N, k, fixed);
    printf("main is done\n");
    return 0;
}
