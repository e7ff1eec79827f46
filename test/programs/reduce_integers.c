/* Every exact reduction: operators, types, arrays of targets, and a target that later tasks read.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdbool.h>
#include "show.h"

enum { N = 5000 };

#pragma streamap resource 4:C split(i) in(x[i]) reduction(+: sum[0:1]) reduction(max: most[0:1]) reduction(min: least[0:1])
void range(long n, const int *x, long *sum, int *most, int *least)
{
    for (long i = 0; i < n; i++) {
        *sum += x[i];
        if (x[i] > *most)
            *most = x[i];
        if (x[i] < *least)
            *least = x[i];
    }
}

#pragma streamap resource 3:C split(i) in(x[i]) reduction(+: bins[0:16])
void histogram(long n, const int *x, unsigned *bins)
{
    for (long i = 0; i < n; i++)
        bins[x[i] & 15]++;
}

#pragma streamap resource 5:C split(i) in(x[i]) reduction(&: all[0:1]) reduction(|: any[0:1]) reduction(^: odd[0:1])
void bits(long n, const int *x, unsigned char *all, unsigned short *any, uint64_t *odd)
{
    for (long i = 0; i < n; i++) {
        *all &= (unsigned char)(x[i] | 0x81);
        *any |= (unsigned short)(x[i] & 0x1110);
        *odd ^= (uint64_t)x[i] << (i % 32);
    }
}

#pragma streamap resource 4:C split(i) in(x[i]) reduction(&&: every[0:1]) reduction(||: some[0:1]) reduction(*: product[0:1])
void logic(long n, const int *x, bool *every, int *some, unsigned *product)
{
    for (long i = 0; i < n; i++) {
        *every = *every && x[i] >= 0;
        *some = *some || x[i] == 7;
        *product *= (unsigned)x[i] | 1;
    }
}

#pragma streamap resource 2:C split(i) in(sum[0:1]) inout(x[i])
void subtract(long n, const long *sum, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] -= (int)(*sum / n);
}

int main(void)
{
    static int x[N];
    unsigned bins[16] = {1, 2, 3}, product = 3;
    long sum = 1000;
    int most = -1, least = 1 << 30, some = 0;
    unsigned char all = 0xff;
    unsigned short any = 1;
    uint64_t odd = 12345;
    bool every = true;
    scramble_ints(N, x, 140);
    range(N, x, &sum, &most, &least);
    subtract(N, &sum, x);
    range(N, x, &sum, &most, &least);
    histogram(N, x, bins);
    histogram(N / 2, x, bins);
    bits(N, x, &all, &any, &odd);
    logic(N, x, &every, &some, &product);
    #pragma streamap wait
    printf("%ld %d %d %x %x %llx %d %d %x\n", sum, most, least, all, any, (unsigned long long)odd, every, some, product);
    for (int i = 0; i < 16; i++)
        printf("%u%c", bins[i], i < 15 ? ' ' : '\n');
    show("x", x, sizeof x);
    return 0;
}
