/* A table that main does not touch between waits need not be sent again; where main changes one number, a block is enough.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20 }; /* 4 MiB */

#pragma streamap resource 4:C in(table[0:n]) split(i) inout(x[i])
void use(long n, long k, const unsigned *table, unsigned *x)
{
    for (long i = 0; i < 64; i++)
        x[i] += table[(i * 7919 + k * 1000) % n];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 6, touch = argc > 2;
    static unsigned table[N], x[64];
    for (long i = 0; i < N; i++)
        table[i] = (unsigned)i * 2654435761u;
    for (int k = 0; k < rounds; k++) {
        use(N, k, table, x);
        #pragma streamap wait
        if (touch)
            table[(k + 1) * 1000]++; /* which the next round reads */
    }
    unsigned sum = 0;
    for (int i = 0; i < 64; i++)
        sum = sum * 31 + x[i];
    printf("%u\n", sum);
    return 0;
}
