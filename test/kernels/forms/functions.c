/* Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a loop calls.
#include "show.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300 };

static inline float blend(float a, float b, float t) {
  return a + (b - a) * t;
}

static double horner(const double *c, int n, double x) {
  double r = 0;
  while (n-- > 0)
    r = r * x + c[n];
  return r;
}
static const double series[4] = {1, 0.5, 0.25, 0.125};

static int depth3(int x);
static int depth2(int x) {
  return depth3(x) + 1;
}
static int depth3(int x) {
  return x * 2;
}

/* Also the name of a CUDA function. */
static int max(int a, int b) {
  return a > b ? a : b;
}

#pragma streamap resource 1 : G inout(y[0 : n])
void helpers(int n, float *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = blend(y[i], i, 0.5f) + depth2(i) + max(i, 7);
}

#pragma streamap resource 1 : G inout(y[0 : n])
void polynomials(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = horner(series, 4, y[i]);
}

#pragma streamap resource 1 : G inout(y[0 : n])
void exact_mathematics(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    y[i] = sqrt(fabs(y[i])) + floor(y[i] / 3) + ceil(y[i] / 5) + fmax(y[i], 2) + fmin(i, 4) + copysign(1, y[i]);
    y[i] = fma(y[i], 2, trunc(y[i])) + rint(y[i] * 0.3) + round(y[i] * 0.7);
  }
}

#pragma streamap resource 1 : G inout(y[0 : n])
void single_precision(int n, float *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = sqrtf(fabsf(y[i])) + fmaf(y[i], y[i], 1) + floorf(y[i] * 0.4f) + fmaxf(y[i], 1) + sqrt(y[i] * y[i]);
}

#pragma streamap resource 1 : G inout(y[0 : n])
void library(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = sin(y[i]) + exp(-fabs(y[i])) + pow(1 + i % 5, 0.25) + log(2 + i) + atan2(y[i], 2) + cbrt(i) + hypot(i, 3);
}

#pragma streamap resource 1 : G inout(y[0 : n])
void library_single(int n, float *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = sinf(y[i]) + expf(-fabsf(y[i])) + powf(1 + i % 5, 0.25f) + tanhf(i);
}

#pragma streamap resource 1 : G inout(y[0 : n])
void classified(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double v = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : y[i];
    y[i] = isnan(v) ? 1 : isinf(v) ? 2 : signbit(v) ? 3 : v;
  }
}

#pragma streamap resource 1 : G inout(y[0 : n])
void integers(int n, long *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = labs(y[i]) + abs((int)y[i] - 4) + __builtin_popcountl((unsigned long)i) + llabs(-(long long)i);
}

#pragma streamap resource 1 : G inout(y[0 : n])
void memory(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double both[2], bits;
    memset(both, 0, sizeof both);
    memcpy(&bits, &y[i], sizeof bits);
    y[i] = both[i % 2] + bits + 1;
  }
}

#pragma streamap resource 1 : G inout(y[0 : n])
void task_number(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] += streamap_task_index() * 100 + streamap_task_count();
}

int main(void) {
  double y[N];
  float f[N];
  long k[N];
  FILL(y, N);
  FILL(f, N);
  FILL(k, N);
  helpers(N, f);
  polynomials(N, y);
  exact_mathematics(N, y);
  integers(N, k);
  single_precision(N, f);
  memory(N, y);
  task_number(N, y);
#pragma streamap wait
  SHOW("y", y, N);
  SHOW("f", f, N);
  SHOW("k", k, N);
  library(N, y);
  library_single(N, f);
#pragma streamap wait
  SHOW("library", y, N);
  SHOW("single", f, N);
  classified(N, y);
#pragma streamap wait
  SHOW("classified", y, N);
  return 0;
}
