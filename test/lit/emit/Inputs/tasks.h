// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <streamap/streamap.h>
#include "shape.h" /* its own
                      neighbour */
#pragma streamap resource 2:C split(i) inout(v[i])
static inline void scale(int n, double *v)
{
    for (int i = 0; i < n; i++)
        v[i] *= FACTOR;
}
static inline int line_in_header(void) { return __LINE__; }
static inline const char *file_of_header(void) { return __FILE__; }
