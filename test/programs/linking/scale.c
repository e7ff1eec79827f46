/* The task, and a function of the same file that calls it.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "scale.h"

#ifndef ANNOTATED
#pragma streamap resource 3:C split(i) inout(x[i])
#endif
void scale(long n, int k, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] = x[i] * k + (int)i;
}

void scale_twice(long n, int *x)
{
    scale(n, 2, x);
    scale(n, 3, x);
    #pragma streamap wait
}
