/* Several split loops over one index with different bounds and steps; the rest of the body runs in every task.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 800 };

#pragma streamap resource 4:C split(i) in(x[i], w[0:3]) inout(y[i], z[i])
void chain(long n, const int *x, const int *w, int *y, int *z)
{
    int scale = w[0] * w[1];
    for (long i = 0; i < n; i++)
        y[i] = x[i] * scale;
    scale += w[2];
    for (long i = 10; i < n - 10; i += 2) {
        if (y[i] % 3 == 0)
            continue;
        z[i] += y[i] / scale;
    }
    for (long i = n - 1; i >= n / 2; i--)
        z[i] ^= y[i];
}

#pragma streamap resource 3:C split(i) inout(x[i])
void with_locals(long n, int *x)
{
    int t;
    #pragma omp parallel for private(t)
    for (long i = 0; i < n; i++) {
        int before = x[i];
        t = before * before;
        x[i] = t - before;
    }
}

int main(void)
{
    static int x[N], y[N], z[N];
    int w[3] = {3, 5, 2};
    scramble_ints(N, x, 190);
    for (int k = 0; k < 4; k++) {
        chain(N - k, x, w, y, z);
        with_locals(N, x);
    }
    #pragma streamap wait
    show("y", y, sizeof y);
    show("z", z, sizeof z);
    show("x", x, sizeof x);
    return 0;
}
