/* pi by the midpoint rule: one reduction, summed by every core of the cluster.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Adds the area under 4 / (1 + x^2), 0 <= x <= 1, to area[0], from n strips. Each task takes a share of the strips. */
#pragma streamap resource *:C split(i) reduction(+: area[0:1])
void add_strips(long n, double *area)
{
    double width = 1.0 / n;
    #pragma omp parallel for reduction(+: area[0:1])
    for (long i = 0; i < n; i++) {
        double x = (i + 0.5) * width;
        area[0] += width * 4.0 / (1.0 + x * x);
    }
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 2000000;
    if (n <= 0) {
        fprintf(stderr, "usage: %s [strips]\n", argv[0]);
        return 2;
    }
    double pi = 0;
    add_strips(n, &pi);
    #pragma streamap wait
    printf("pi: %ld strips, %.15f, %s\n", n, pi, fabs(pi - acos(-1.0)) < 1.0 / n ? "right" : "WRONG");
    return 0;
}
