/* Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// How loops are written.
#include "show.h"

enum { N = 1003 };

#pragma streamap resource 1 : G split(i) inout(y[i])
void up(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] += i;
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void up_to_and_with(int n, double *y) {
#pragma omp parallel for
  for (int i = 3; i <= n - 1; ++i)
    y[i] *= 2;
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void strided(int n, double *y) {
#pragma omp parallel for
  for (int i = 1; i < n; i += 3) {
    y[i] -= i;
  }
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void down(int n, double *y) {
#pragma omp parallel for
  for (int i = n - 1; i >= 0; i--)
    y[i] = y[i] * 3 + 1;
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void down_strided(int n, double *y) {
#pragma omp parallel for
  for (int i = n - 1; i > 10; i -= 4)
    y[i] = -y[i];
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void not_equal(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i != n; i++)
    y[i] += 5;
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void turned(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; n > i; i = i + 2)
    y[i] += 0.5;
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void counted_by_size(size_t n, double *y) {
#pragma omp parallel for simd
  for (size_t i = 0; i < n; i++)
    y[i] += (double)(i % 5);
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void counted_by_short(short n, double *y) {
#pragma omp target teams distribute parallel for
  for (short i = 0; i < n; i++)
    y[i] += 2;
}

#pragma streamap resource 1 : G split(i) inout(y[i])
void counted_by_unsigned(unsigned n, double *y) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(2) if (n > 10)
  for (unsigned i = n - 1; i > 0u; i--)
    y[i] += 1;
}

#pragma streamap resource 1 : G inout(y[0 : n])
void index_from_outside(long n, double *y) {
  long i;
#pragma omp parallel for private(i)
  for (i = 0; i < n; i++)
    y[i] += 9;
}

#pragma streamap resource 1 : G inout(y[0 : n])
void no_split(int n, double *y) {
#pragma omp parallel for
  for (int k = 0; k < n / 2; k++)
    y[k] += y[k + n / 2];
}

#pragma streamap resource 1 : G inout(y[0 : n])
void empty(int n, double *y) {
#pragma omp parallel for
  for (int k = n; k < n; k++)
    y[k] = 0 / 0.0;
}

int main(void) {
  double *y = malloc(N * sizeof *y);
  FILL(y, N);
  up(N, y);
  up_to_and_with(N, y);
  strided(N, y);
  down(N, y);
  down_strided(N, y);
  not_equal(N, y);
  turned(N, y);
  counted_by_size(N, y);
  counted_by_short(N, y);
  counted_by_unsigned(N, y);
  index_from_outside(N, y);
#pragma streamap wait
  SHOW("split", y, N);
  no_split(N, y);
  empty(N, y);
#pragma streamap wait
  SHOW("whole", y, N);
  free(y);
  return 0;
}
