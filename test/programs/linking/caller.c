/* A caller without any pragma: any compiler may build it. It reads x only after scale_twice has waited.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>

#include "scale.h"

static int x[1000];

int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 1000; i++)
        x[i] = i % 37;
    scale(1000, 5, x);
    void (*again)(long, int, int *) = scale;
    again(500, 7, x + 250);
    scale_twice(900, x + 50);
    for (int i = 0; i < 1000; i++)
        sum = sum * 31 + (unsigned)x[i];
    printf("%u\n", sum);
    return 0;
}
