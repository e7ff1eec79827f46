/* One of two files that include the header with the task.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>

#include "shift.h"

static int x[600];

int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 600; i++)
        x[i] = i;
    shift(600, 5, x);
    other_file(300, x + 100);
    shift(600, 9, x);
    #pragma streamap wait
    for (int i = 0; i < 600; i++)
        sum = sum * 31 + (unsigned)x[i];
    printf("%u\n", sum);
    return 0;
}
