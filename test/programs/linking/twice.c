/* Compiled twice, as FIRST and as SECOND: two tasks, and static ones of one name.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifdef FIRST
#define NAME first
#define FACTOR 3
#else
#define NAME second
#define FACTOR 5
#endif

#pragma streamap resource 2:C split(i) inout(x[i])
static void inner(long n, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] = x[i] * FACTOR + 1;
}

#pragma streamap resource FACTOR:C split(i) inout(x[i])
void NAME(long n, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] += FACTOR;
}

#ifdef FIRST
#include <stdio.h>

void second(long n, int *x);
void inner_second(long n, int *x);

static int x[500];

int main(void)
{
    unsigned sum = 0;
    for (int k = 0; k < 4; k++) {
        inner(500, x);
        first(500, x);
        second(400, x + 50);
        inner_second(300, x + 100);
    }
    #pragma streamap wait
    for (int i = 0; i < 500; i++)
        sum = sum * 31 + (unsigned)x[i];
    printf("%u\n", sum);
    return 0;
}
#else
void inner_second(long n, int *x)
{
    inner(n, x);
}
#endif
