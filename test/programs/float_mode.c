/* Tasks round as their launcher does: the mode at each call travels with it.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <fenv.h>
#include "show.h"

enum { N = 64 };

#pragma streamap resource 4:C split(i) in(x[i]) out(y[i])
void thirds(long n, const double *x, double *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[i] / 3.0;
}

int main(void)
{
    double x[N], y[4][N];
    const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < N; i++)
        x[i] = i % 2 ? -i - 0.1 : i + 0.7;
    for (int m = 0; m < 4; m++) {
        fesetround(modes[m]);
        thirds(N, x, y[m]);
    }
    fesetround(FE_TONEAREST);
    #pragma streamap wait
    for (int m = 0; m < 4; m++)
        show("thirds", y[m], sizeof y[m]);
    return 0;
}
