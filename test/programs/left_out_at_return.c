/* An array of main itself is still out when main returns: an error that says so, never a store into a dead frame.
 * expect-stderr: main's own stack frame
 * expect-exit: failure
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

/* AddressSanitizer would keep x outside the stack, where nobody can tell that its frame is gone. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_stack_use_after_return=0";
}

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
