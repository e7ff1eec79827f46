/* Several threads launch and wait, each for its own data and for a shared table.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <pthread.h>
#include "show.h"

enum { N = 1500, THREADS = 4 };

static int table[16], data[THREADS][N];

#pragma streamap resource 2:C split(i) in(t[0:16]) inout(x[i])
void mix(long n, int k, const int *t, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] = x[i] * 5 + t[(i + k) & 15];
}

static void *work(void *which)
{
    int *x = which;
    for (int k = 0; k < 25; k++) {
        mix(N, k, table, x);
        if (k % 10 == 9) {
            #pragma streamap wait on(x[0:N])
            x[k] = k;
        }
    }
    #pragma streamap wait
    x[0] ^= 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    scramble_ints(16, table, 160);
    for (int t = 0; t < THREADS; t++) {
        scramble_ints(N, data[t], 161 + t);
        pthread_create(&threads[t], NULL, work, data[t]);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    mix(N, 3, table, data[0]);
    #pragma streamap wait
    show("data", data, sizeof data);
    return 0;
}
