/* Twenty thousand small tasks: independent ones, a chain, and ones with several inputs, before one wait.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { CELLS = 500, ROUNDS = 20 };

#pragma streamap resource 1:C inout(x[0:1])
void bump(int k, int *x)
{
    *x = *x * 3 + k;
}

#pragma streamap resource 1:C in(a[0:1], b[0:1]) inout(x[0:1])
void join(const int *a, const int *b, int *x)
{
    *x += *a - *b;
}

int main(void)
{
    static int x[CELLS];
    int chain = 1;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < CELLS; i++)
            bump(r, &x[i]);
        for (int i = 1; i < CELLS - 1; i++)
            join(&x[i - 1], &x[i + 1], &x[i]);
        for (int i = 0; i < 50; i++)
            bump(i, &chain);
    }
    #pragma streamap wait
    show("x", x, sizeof x);
    printf("%d\n", chain);
    return 0;
}
