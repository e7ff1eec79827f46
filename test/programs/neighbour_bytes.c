/* Tasks write single bytes side by side, and main writes the bytes between: only named elements are ever written back.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 4099 };

#pragma streamap resource 7:C split(i) inout(x[i])
void add(long n, int k, unsigned char *x)
{
    for (long i = 0; i < n; i++)
        x[i] = (unsigned char)(x[i] * 3 + k);
}

#pragma streamap resource 5:C split(i) inout(x[3*i])
void add_thirds(long n, int k, unsigned char *x)
{
    take_ms(3);
    for (long i = 0; i < n; i++)
        x[3 * i] = (unsigned char)(x[3 * i] + k);
}

int main(void)
{
    static unsigned char x[N];
    for (long i = 0; i < N; i++)
        x[i] = (unsigned char)scramble((uint32_t)i);
    for (int k = 0; k < 6; k++) {
        add(N, k, x);
        #pragma streamap wait
        add_thirds(N / 3, k + 1, x);
        for (long i = 0; i < N / 3; i++) { /* while those are out */
            x[3 * i + 1] ^= (unsigned char)k;
            x[3 * i + 2] += 5;
        }
        add_thirds(N / 3, k + 2, x);
        #pragma streamap wait
        for (long i = k; i < N; i += 7)
            x[i]++;
    }
    show("x", x, sizeof x);
    return 0;
}
