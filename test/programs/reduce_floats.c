/* Floating-point sums: the same on every rank count, and within rounding of cc.
 * tolerance: 1e-12
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <math.h>
#include "show.h"

enum { N = 100000 };

#pragma streamap resource *:C split(i) in(x[i]) reduction(+: sum[0:2])
void moments(long n, const double *x, double *sum)
{
    for (long i = 0; i < n; i++) {
        sum[0] += x[i];
        sum[1] += x[i] * x[i];
    }
}

#pragma streamap resource 3:C split(i) in(x[i]) reduction(+: sum[0:2])
void moments_of_three(long n, const double *x, double *sum)
{
    for (long i = 0; i < n; i++) {
        sum[0] += x[i];
        sum[1] += x[i] * x[i];
    }
}

#pragma streamap resource 4:C split(i) in(x[i]) reduction(*: product[0:1]) reduction(max: most[0:1]) reduction(min: least[0:1])
void extremes(long n, const double *x, double *product, double *most, double *least)
{
    for (long i = 0; i < n; i++) {
        *product *= 1 + x[i] / N;
        *most = fmax(*most, x[i]);
        *least = fmin(*least, x[i]);
    }
}

#pragma streamap resource 7:C split(i) reduction(+: s[0:1])
void harmonic(long n, long double *s)
{
    for (long i = n; i >= 1; i--)
        s[0] += 1.0L / i;
}

int main(void)
{
    static double x[N];
    double a[2] = {1, 2}, b[2] = {1, 2}, product = 1, most = -1, least = 1;
    long double h = 0;
    for (long i = 0; i < N; i++)
        x[i] = sin((double)scramble((uint32_t)i));
    moments(N, x, a);
    moments_of_three(N, x, b);
    extremes(N, x, &product, &most, &least);
    harmonic(N, &h);
    #pragma streamap wait
    /* sums of terms of both signs are printed with the sum of absolute values in mind: about 6e4 here */
    printf("%.17g %.17g %s\n", a[0] + 1e5, a[1], a[0] == b[0] && a[1] == b[1] ? "equal" : "unequal");
    printf("%.17g %.17g %.17g %.17g\n", product, most, least, (double)h);
    return 0;
}
