/* Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Nests of loops, and arrays of several dimensions.
#include "show.h"

enum { R = 37, C = 41, D = 5 };

#pragma streamap resource 1 : G inout(a[0 : n][0 : m])
void collapse2(int n, int m, double a[n][m]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] += i * 3 + j;
}

#pragma streamap resource 1 : G inout(a[0 : n][0 : m][0 : l])
void collapse3(int n, int m, int l, float a[restrict n][m][l]) {
#pragma omp parallel for collapse(3)
  for (int i = 0; i < n; i++)
    for (int j = m - 1; j >= 0; j -= 2) {
      for (int k = 1; k < l; k++) {
        a[i][j][k] += (float)(i * j - k);
      }
    }
}

#pragma streamap resource 1 : G split(i) inout(a[i][0 : m])
void inner_sequential(int n, int m, double a[n][m]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < m; j++)
      a[i][j] += a[i][j - 1] / 2;
    a[i][0] = 0;
  }
}

#pragma streamap resource 1 : G split(i) in(a[i - 1 : 3][0 : m]) out(b[i][0 : m])
void stencil(int n, int m, const double a[n][m], double b[n][m]) {
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) * 0.25;
}

#pragma streamap resource 1 : G inout(a[0 : n][0 : m])
void steps(int n, int m, double a[n][m], int count) {
  for (int t = 0; t < count; t++) {
    double w = 1.0 / (t + 1);
    if (t % 2 == 0) {
#pragma omp parallel for
      for (int j = 0; j < m; j++)
        for (int i = 1; i < n; i++)
          a[i][j] += w * a[i - 1][j];
    } else {
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        a[i][t] *= w;
    }
  }
}

#pragma streamap resource 1 : G inout(a[0 : n][0 : 3])
void constant_rows(int n, double a[][3]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      a[i][k] += k;
}

#pragma streamap resource 1 : G inout(a[0 : n * m])
void cast_to_rows(int n, int m, double *a) {
  double(*rows)[m] = (double(*)[m])a;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    rows[i][i % m] = i;
}

static double row_sum(int m, const double row[m]) {
  double s = 0;
  for (int j = 0; j < m; j++)
    s += row[j];
  return s;
}

static double trace(int n, int m, double a[n][m]) {
  double s = 0;
  for (int i = 0; i < n && i < m; i++)
    s += a[i][i];
  return s;
}

#pragma streamap resource 1 : G in(a[0 : n][0 : m])inout(y[0 : n])
void rows_to_functions(int n, int m, double a[n][m], double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = row_sum(m, a[i]) + trace(n, m, a);
}

#pragma streamap resource 1 : G split(i) inout(a[i * m : m])
void split_inside(int n, int m, double *a) {
#pragma omp parallel for
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      a[i * m + j] += j;
}

#pragma streamap resource 1 : G split(i) inout(a[i * m : m])
void split_outside(int n, int m, double *a) {
  for (int i = 0; i < n; i++) {
#pragma omp parallel for
    for (int j = 0; j < m; j++)
      a[i * m + j] += i - j;
  }
}

int main(void) {
  double(*a)[C] = malloc(sizeof(double[R][C])), (*b)[C] = calloc(R, sizeof *b), y[R];
  float(*f)[7][D] = malloc(sizeof(float[R][7][D]));
  FILL(&a[0][0], R * C);
  FILL(&f[0][0][0], R * 7 * D);
  FILL(y, R);
  collapse2(R, C, a);
  inner_sequential(R, C, a);
  stencil(R, C, a, b);
  collapse3(R, 7, D, f);
  steps(R, C, a, 6);
  cast_to_rows(R, C, &b[0][0]);
  rows_to_functions(R, C, a, y);
  split_inside(R, C, &a[0][0]);
  split_outside(R, C, &a[0][0]);
#pragma streamap wait
  constant_rows(R, (double(*)[3]) & b[0][0]);
#pragma streamap wait
  SHOW("a", &a[0][0], R * C);
  SHOW("b", &b[0][0], R * C);
  SHOW("f", &f[0][0][0], R * 7 * D);
  SHOW("y", y, R);
  free(a), free(b), free(f);
  return 0;
}
