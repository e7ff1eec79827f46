/* C array parameters carry their own extents: no clause but split is needed for a matrix product.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include "show.h"

#pragma streamap resource 4:C split(i) in(a[i][0:l], b[0:l][0:m]) inout(c[i][0:m])
void multiply(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = c[i][j];
            for (int k = 0; k < l; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

#pragma streamap resource 1:C
void transpose(int n, int m, const double a[n][m], double b[m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[j][i] = a[i][j];
}

int main(void)
{
    enum { N = 33, M = 21, L = 17 };
    double(*a)[L] = malloc(sizeof(double[N][L])), (*b)[M] = malloc(sizeof(double[L][M])), (*c)[M] = calloc(N, sizeof(double[M])),
        (*t)[N] = malloc(sizeof(double[M][N])), (*s)[M] = calloc(M, sizeof(double[M]));
    for (int i = 0; i < N * L; i++)
        a[i / L][i % L] = (double)(scramble(i) % 1000) / 7;
    for (int i = 0; i < L * M; i++)
        b[i / M][i % M] = (double)(scramble(i + 5000) % 1000) / 13;
    multiply(N, M, L, a, b, c);
    transpose(N, M, c, t);
    multiply(M, M, N, t, c, s);
    #pragma streamap wait
    show("c", c, sizeof(double[N][M]));
    show("s", s, sizeof(double[M][M]));
    free(a);
    free(b);
    free(c);
    free(t);
    free(s);
    return 0;
}
