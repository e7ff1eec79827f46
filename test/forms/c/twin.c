/* A static task of the same name as one in heads.c; and line ends as other systems write them.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "../forms.h"

#pragma streamap resource 2:C split(i) \
    inout(x[i])
static void c_static(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] -= 200;
}
FORM(c_twin, "static, as another file has it; CR LF") { NUMBERS(x); c_static(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
