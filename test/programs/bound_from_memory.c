/* The bounds of a section are read from memory that earlier tasks write.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 200 };

#pragma streamap resource 1:C in(x[0:N]) out(range[0:2])
void find(const int *x, int least, long *range)
{
    take_ms(10);
    range[0] = range[1] = 0;
    for (long i = 0; i < N; i++)
        if (x[i] > least) {
            range[0] = i;
            range[1] = (N - i) / 2;
            break;
        }
}

#pragma streamap resource 1:C in(range[0:2]) inout(x[range[0]:range[1]])
void negate(const long *range, int *x)
{
    for (long i = range[0]; i < range[0] + range[1]; i++)
        x[i] = -x[i];
}

int main(void)
{
    int x[N];
    long range[2];
    scramble_ints(N, x, 15);
    for (int k = 0; k < 6; k++) {
        find(x, 1000 << k, range);
        negate(range, x);
    }
    #pragma streamap wait
    show("x", x, sizeof x);
    printf("%ld %ld\n", range[0], range[1]);
    return 0;
}
