/* A task defined in a header that several files include.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef SHIFT_H
#define SHIFT_H

#include <streamap/streamap.h>

#pragma streamap resource 2:C split(i) inout(x[i])
static inline void shift(long n, int k, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] = (x[i] << 1) ^ k;
}

void other_file(long n, int *x);

#endif
