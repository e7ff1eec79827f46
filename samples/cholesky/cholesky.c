/* Cholesky factorisation by tiles: A = L L^T for a symmetric positive definite matrix.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The loop nest in factorise() is the textbook's, and nothing in it waits. Each call becomes a task that starts when the tiles it
 * names are ready, so steps of the outer loop overlap. Tasks that many others wait for get the higher priority, at their call.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The parameters say it all: a const tile is read, any other is read and written, and each is b x b. */

/* A tile of the matrix: random in [-1, 1] and symmetric, with n added on the diagonal, which makes it positive definite. */
#pragma streamap resource 1:C
void generate(long n, int b, long row, long column, double tile[b][b]);

/* tile = its own Cholesky factor. */
#pragma streamap resource 1:C
void factor_tile(int b, double tile[b][b])
{
    for (int k = 0; k < b; k++) {
        double pivot = sqrt(tile[k][k]);
        tile[k][k] = pivot;
        for (int i = k + 1; i < b; i++)
            tile[i][k] /= pivot;
        for (int i = k + 1; i < b; i++)
            for (int j = k + 1; j <= i; j++)
                tile[i][j] -= tile[i][k] * tile[j][k];
    }
    for (int i = 0; i < b; i++)
        for (int j = i + 1; j < b; j++)
            tile[i][j] = 0;
}

/* tile = tile * diagonal^-T */
#pragma streamap resource 1:C
void solve_tile(int b, const double diagonal[b][b], double tile[b][b])
{
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            double sum = tile[i][j];
            for (int k = 0; k < j; k++)
                sum -= tile[i][k] * diagonal[j][k];
            tile[i][j] = sum / diagonal[j][j];
        }
}

/* tile = tile - left * right^T; left and right may be the same tile. */
#pragma streamap resource 1:C
void update_tile(int b, const double left[b][b], const double right[b][b], double tile[b][b])
{
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            double sum = 0;
            for (int k = 0; k < b; k++)
                sum += left[i][k] * right[j][k];
            tile[i][j] -= sum;
        }
}

/* Element (i, j) of the matrix; a fixed scramble of the two indices. */
static double element(long n, long i, long j)
{
    uint64_t x = (uint64_t)(i < j ? j : i) * 0x9e3779b97f4a7c15u + (uint64_t)(i < j ? i : j) * 0xc2b2ae3d27d4eb4fu + 1;
    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
    x ^= x >> 32;
    return (double)(int64_t)x / 9223372036854775808.0 + (i == j ? (double)n : 0.0);
}

void generate(long n, int b, long row, long column, double tile[b][b])
{
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++)
            tile[i][j] = element(n, row + i, column + j);
}

/* The lower triangle of tiles, row by row: tile (i, j) is number i * (i + 1) / 2 + j. */
static long at(long i, long j)
{
    return i * (i + 1) / 2 + j;
}

static void factorise(int tiles, int b, double (*a)[b][b])
{
    for (int k = 0; k < tiles; k++) {
        #pragma streamap resource 1:C priority(3 * (tiles - k))
        factor_tile(b, a[at(k, k)]);
        for (int i = k + 1; i < tiles; i++)
            #pragma streamap resource 1:C priority(2 * (tiles - k))
            solve_tile(b, a[at(k, k)], a[at(i, k)]);
        for (int i = k + 1; i < tiles; i++)
            for (int j = k + 1; j <= i; j++)
                #pragma streamap resource 1:C priority((j == k + 1 ? 2 : 1) * (tiles - k))
                update_tile(b, a[at(i, k)], a[at(j, k)], a[at(i, j)]);
    }
}

/* |L (L^T x) - A x| / (|A| |x| n eps) for one vector x, with |A| estimated by its largest row sum. A right factor is below 1. */
static double residual(long n, int b, double (*l)[b][b])
{
    double *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z);
    double error = 0, norm = 0;
    for (long i = 0; i < n; i++)
        x[i] = 1.0 + (double)(i % 7) / 8.0;
    for (long i = 0; i < n; i++) /* y = L^T x */
        for (long j = 0; j <= i; j++)
            y[j] += l[at(i / b, j / b)][i % b][j % b] * x[i];
    for (long i = 0; i < n; i++) /* z = L y */
        for (long j = 0; j <= i; j++)
            z[i] += l[at(i / b, j / b)][i % b][j % b] * y[j];
    for (long i = 0; i < n; i++) {
        double row = 0, sum = 0;
        for (long j = 0; j < n; j++) {
            double a = element(n, i, j);
            sum += a * x[j];
            row += fabs(a);
        }
        if (row > norm)
            norm = row;
        if (!(fabs(z[i] - sum) <= error)) /* a NaN counts */
            error = fabs(z[i] - sum);
    }
    free(x), free(y), free(z);
    return error / (norm * 2.0 * n * DBL_EPSILON);
}

int main(int argc, char **argv)
{
    int tiles = argc > 1 ? atoi(argv[1]) : 8, b = argc > 2 ? atoi(argv[2]) : 96;
    if (tiles <= 0 || b <= 0) {
        fprintf(stderr, "usage: %s [tiles a side] [rows a tile]\n", argv[0]);
        return 2;
    }
    long n = (long)tiles * b;
    double(*a)[b][b] = malloc(at(tiles, 0) * sizeof *a);
    if (!a) {
        fprintf(stderr, "%s: no memory for a matrix of %ld rows\n", argv[0], n);
        return 1;
    }

    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++)
            generate(n, b, (long)i * b, (long)j * b, a[at(i, j)]);
    factorise(tiles, b, a);
    #pragma streamap wait

    double log_determinant = 0, r = residual(n, b, a);
    for (long i = 0; i < n; i++)
        log_determinant += 2 * log(a[at(i / b, i / b)][i % b][i % b]);
    printf("cholesky: %ld rows, tiles of %d, log determinant %.12g, residual %.3f, %s\n", n, b, log_determinant, r,
           r < 1 ? "right" : "WRONG");
    free(a);
    return 0;
}
