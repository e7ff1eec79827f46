/* A field that stays with the workers for many steps, while main waits on one number in each.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20 }; /* 4 MiB */

#pragma streamap resource 4:C split(i) inout(x[i])
void grow(long n, unsigned *x)
{
    for (long i = 0; i < n; i++)
        x[i] = x[i] * 3 + 1;
}

#pragma streamap resource 4:C split(i) in(x[i]) reduction(max: most[0:1])
void largest(long n, const unsigned *x, unsigned *most)
{
    for (long i = 0; i < n; i++)
        if (x[i] > most[0])
            most[0] = x[i];
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 12;
    static unsigned x[N];
    unsigned history = 0;
    for (long i = 0; i < N; i++)
        x[i] = (unsigned)i;
    for (int s = 0; s < steps; s++) {
        unsigned most = 0;
        grow(N, x);
        largest(N, x, &most);
        #pragma streamap wait on(most)
        history = history * 31 + most;
    }
    #pragma streamap wait
    unsigned sum = 0;
    for (long i = 0; i < N; i++)
        sum = sum * 31 + x[i];
    printf("%u %u\n", history, sum);
    return 0;
}
