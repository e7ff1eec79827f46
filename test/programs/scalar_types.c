/* Arguments and elements of every arithmetic type, with their promotions, and enums, bools and complex numbers.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <complex.h>
#include <stdbool.h>
#include <string.h>
#include "show.h"

enum colour { RED, GREEN = 7, BLUE = -3 };
enum { N = 40 };

#pragma streamap resource 1:C out(y[0:12])
void all(char c, signed char sc, unsigned char uc, short s, unsigned short us, int i, unsigned u, long l, unsigned long ul, long long ll,
         bool b, enum colour e, double *y)
{
    double values[12] = {c, sc, uc, s, us, i, u, (double)l, (double)ul, (double)ll, b, e};
    memcpy(y, values, sizeof values);
}

#pragma streamap resource 1:C out(y[0:3], z[0:1])
void floats(float f, double d, long double x, double complex c, long double *y, double complex *z)
{
    y[0] = f;
    y[1] = d;
    y[2] = x;
    z[0] = c * c;
}

#pragma streamap resource 3:C split(i) inout(a[i], b[i], c[i], d[i])
void elements(int n, unsigned char *a, short *b, bool *c, float complex *d)
{
    for (int i = 0; i < n; i++) {
        a[i] += (unsigned char)(i * 37);
        b[i] = (short)(b[i] * 3 - i);
        c[i] = !c[i];
        d[i] *= I;
    }
}

int main(void)
{
    double y[12];
    long double w[3];
    double complex z;
    unsigned char a[N];
    short b[N];
    bool c[N];
    float complex d[N];
    for (int i = 0; i < N; i++) {
        a[i] = (unsigned char)i;
        b[i] = (short)-i;
        c[i] = i % 3 == 0;
        d[i] = (float)i + 0.5f * I;
    }
    all('x', -1, 200, -30000, 60000, -2000000000, 4000000000u, -5000000000L, 18000000000000000000ul, 9000000000000000000ll, true, BLUE, y);
    floats(0.1f, 0.1, 0.1L, 1 + 2 * I, w, &z);
    elements(N, a, b, c, d);
    #pragma streamap wait
    for (int i = 0; i < 12; i++)
        printf("%.17g ", y[i]);
    printf("\n%.17Lg %.17Lg %.21Lg %g %g\n", w[0], w[1], w[2], creal(z), cimag(z));
    show("a", a, sizeof a);
    show("b", b, sizeof b);
    show("c", c, sizeof c);
    show("d", d, sizeof d);
    return 0;
}
