/* G tasks where no GPU can serve run their C version, with one notice and the same answer.
 * expect-stderr: (GPU|G task)
 * expect-stderr-lines: 1
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 1000 };

#pragma streamap resource 2:G, 3:C split(i) in(x[i]) inout(y[i])
void saxpy(long n, float a, const float *x, float *y)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}

int main(void)
{
    static float x[N], y[N];
    for (long i = 0; i < N; i++)
        x[i] = (float)(scramble((uint32_t)i) % 1000) / 3;
    for (int k = 0; k < 5; k++)
        saxpy(N, 0.3f, x, y);
    #pragma streamap wait
    show("y", y, sizeof y);
    return 0;
}
