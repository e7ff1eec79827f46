/* An array of main itself is still out when main returns: an error that says so, never a store into a dead frame.
 * expect-stderr: stack
 * expect-exit: failure
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

#pragma streamap resource 1:C out(x[0:n])
void fill(long n, int *x)
{
    take_ms(20);
    for (long i = 0; i < n; i++)
        x[i] = (int)i;
}

int main(void)
{
    int x[1000];
    fill(1000, x);
    printf("launched\n");
    fflush(stdout);
    return 0;
}
