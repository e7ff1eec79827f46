/* Arrays larger than any message: 48 MiB travels in pieces.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include "show.h"

#pragma streamap resource 2:C split(i) in(x[i]) out(y[i])
void rotate(long n, const uint32_t *x, uint32_t *y)
{
    for (long i = 0; i < n; i++)
        y[i] = (x[i] << 7 | x[i] >> 25) + (uint32_t)i;
}

int main(void)
{
    long n = 12l << 20;
    uint32_t *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (long i = 0; i < n; i++)
        x[i] = (uint32_t)i * 2654435761u;
    rotate(n, x, y);
    rotate(n - 1, y + 1, x);
    rotate(n / 2, x + n / 4, y);
    #pragma streamap wait
    uint32_t a = 0, b = 0;
    for (long i = 0; i < n; i++) {
        a = a * 31 + x[i];
        b = b * 31 + y[i];
    }
    printf("%08x %08x\n", a, b);
    free(x);
    free(y);
    return 0;
}
