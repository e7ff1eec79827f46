/* Red-black relaxation in place: strided sections of two tasks lie between each other and do not overlap.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 1001 };

#pragma streamap resource 4:C split(i) in(x[i-1], x[i+1]) inout(x[i])
void sweep(long n, int colour, int *x)
{
    for (long i = 1 + colour; i < n - 1; i += 2)
        x[i] = (x[i - 1] + x[i + 1] + x[i]) / 3 + colour;
}

int main(void)
{
    int x[N];
    scramble_ints(N, x, 11);
    for (int k = 0; k < 10; k++) {
        sweep(N, 0, x);
        sweep(N, 1, x);
    }
    #pragma streamap wait
    show("x", x, sizeof x);
    return 0;
}
