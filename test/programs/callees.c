/* Tasks call functions: static and public ones of the file, math and string functions, qsort with a callback, recursion.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "show.h"

enum { N = 400 };

static const double coefficients[4] = {0.5, -1.25, 3, 0.125};

double polynomial(double x)
{
    double sum = 0;
    for (int k = 3; k >= 0; k--)
        sum = sum * x + coefficients[k];
    return sum;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

#pragma streamap resource 4:C split(i) in(x[i]) out(y[i])
void evaluate(long n, const double *x, double *y)
{
    for (long i = 0; i < n; i++)
        y[i] = polynomial(sqrt(fabs(x[i]))) + floor(x[i]);
}

#pragma streamap resource 1:C inout(x[0:n])
void sort(long n, double *x)
{
    qsort(x, n, sizeof *x, by_value);
}

#pragma streamap resource 1:C in(x[0:n]) out(y[0:n], k[0:1])
void finish(long n, const double *x, double *y, int *k)
{
    double *copy = malloc(n * sizeof *copy);
    memcpy(copy, x, n * sizeof *copy);
    for (long i = 0; i < n; i++)
        y[i] = copy[n - 1 - i];
    free(copy);
    *k = ackermann(2, 3);
}

int main(void)
{
    static double x[N], y[N], z[N];
    int k;
    for (int i = 0; i < N; i++)
        x[i] = (double)(scramble(i) % 10000) / 3 - 1000;
    evaluate(N, x, y);
    sort(N / 2, y);
    sort(N / 2, y + N / 2);
    sort(N, y);
    finish(N, y, z, &k);
    #pragma streamap wait
    show("z", z, sizeof z);
    printf("%d\n", k);
    return 0;
}
