/* The other file that includes the header with the task.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "shift.h"

void other_file(long n, int *x)
{
    shift(n, 77, x);
    #pragma streamap wait
}
