/* Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reductions: each operator. Sums of floating point are of whole numbers, so that every order gives the same.
#include "show.h"

enum { N = 5000 };

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void sum_i(int n, const long *x, double *result) {
  long r = 0;
#pragma omp parallel for reduction(+ : r)
  for (int i = 0; i < n; i++)
    r += x[i];
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void sum_d(int n, const long *x, double *result) {
  double r = 0;
#pragma omp parallel for reduction(+ : r)
  for (int i = 0; i < n; i++)
    r += x[i];
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void sum_f(int n, const long *x, double *result) {
  float r = 0;
#pragma omp parallel for reduction(+ : r)
  for (int i = 0; i < n; i++)
    r += x[i];
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void minus(int n, const long *x, double *result) {
  long r = 100;
#pragma omp parallel for reduction(- : r)
  for (int i = 0; i < n; i++)
    r -= x[i];
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void product(int n, const long *x, double *result) {
  double r = 1;
#pragma omp parallel for reduction(* : r)
  for (int i = 0; i < n; i++)
    r *= x[i] > 0 ? 2 : 0.5;
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void least(int n, const long *x, double *result) {
  long r = 5000;
#pragma omp parallel for reduction(min : r)
  for (int i = 0; i < n; i++)
    r = x[i] < r ? x[i] : r;
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void most(int n, const long *x, double *result) {
  long r = -5000;
#pragma omp parallel for reduction(max : r)
  for (int i = 0; i < n; i++)
    if (x[i] > r)
      r = x[i];
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void least_d(int n, const long *x, double *result) {
  double r = 1e300;
#pragma omp parallel for reduction(min : r)
  for (int i = 0; i < n; i++)
    r = x[i] < r ? x[i] : r;
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void most_f(int n, const long *x, double *result) {
  float r = -1e30f;
#pragma omp parallel for reduction(max : r)
  for (int i = 0; i < n; i++)
    r = x[i] > r ? x[i] : r;
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void most_u(int n, const long *x, double *result) {
  unsigned r = 0;
#pragma omp parallel for reduction(max : r)
  for (int i = 0; i < n; i++)
    r = (unsigned)(x[i] + 9) > r ? (unsigned)(x[i] + 9) : r;
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void bit_and(int n, const long *x, double *result) {
  long r = -1;
#pragma omp parallel for reduction(& : r)
  for (int i = 0; i < n; i++)
    r &= x[i] | 8;
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void bit_or(int n, const long *x, double *result) {
  int r = 0;
#pragma omp parallel for reduction(| : r)
  for (int i = 0; i < n; i++)
    r |= (int)x[i];
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void bit_xor(int n, const long *x, double *result) {
  unsigned char r = 0;
#pragma omp parallel for reduction(^ : r)
  for (int i = 0; i < n; i++)
    r ^= (unsigned char)(x[i] * i);
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void all(int n, const long *x, double *result) {
  int r = 1;
#pragma omp parallel for reduction(&& : r)
  for (int i = 0; i < n; i++)
    r = r && x[i] < 90;
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 1])
void any(int n, const long *x, double *result) {
  int r = 0;
#pragma omp parallel for reduction(|| : r)
  for (int i = 0; i < n; i++)
    r = r || x[i] == 2;
  result[0] = r;
}

#pragma streamap resource 1 : G in(x[0 : n])out(result[0 : 4])
void several(int n, const long *x, double *result) {
  double sum = 1, least = 1000;
  int count = 0;
#pragma omp parallel for reduction(+ : sum, count) reduction(min : least)
  for (int i = 0; i < n; i++) {
    if (x[i] < 0)
      continue;
    sum += x[i];
    count++;
    least = least < x[i] ? least : x[i];
  }
  result[0] = sum;
  result[1] = count;
  if (count > 0)
    result[2] = sum / count;
  result[3] = least;
}

#pragma streamap resource 1 : G in(x[0 : n * m]) out(result[0 : 1])
void over_a_nest(int n, int m, const long *x, double *result) {
  double sum = 0;
#pragma omp parallel for collapse(2) reduction(+ : sum)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += x[i * m + j] * (i - j);
  *result = sum;
}

#pragma streamap resource 1 : G inout(y[0 : n]) out(result[0 : 8])
void in_steps(int n, long *y, double *result) {
  for (int t = 0; t < 8; t++) {
    long sum = t;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += y[i];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      y[i] = (y[i] + sum) % 101;
    result[t] = sum;
  }
}

#pragma streamap resource 1 : G split(i) in(x[i])reduction(+ : total[0 : 1])
void of_the_launch(int n, const long *x, long *total) {
  long mine = 0;
#pragma omp parallel for reduction(+ : mine)
  for (int i = 0; i < n; i++)
    mine += x[i];
  total[0] += mine;
}

#pragma streamap resource 1 : G in(x[0 : n])inout(bins[0 : 8])
void histogram(int n, const long *x, int *bins) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    bins[(x[i] + 8) % 8]++;
  }
}

#pragma streamap resource 1 : G in(x[0 : n])inout(cells[0 : 6])
void atomics(int n, const long *x, double *cells) {
  long counter = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    long ticket;
#pragma omp atomic update
    cells[0] += x[i];
#pragma omp atomic
    cells[1] = cells[1] + 2;
#pragma omp atomic capture
    ticket = counter++;
    if (ticket >= 0)
#pragma omp atomic
      cells[2] -= 1;
#pragma omp atomic capture
    {
      counter += 2;
      ticket = counter;
    }
#pragma omp atomic write
    cells[3] = 7;
  }
  cells[4] = counter;
}

static void show(const char *name, double value) {
  printf("%s %.17g\n", name, value);
}

int main(void) {
  static long x[N], y[N];
  static double result[32];
  int bins[8] = {0};
  double cells[6] = {0};
  long total = 5;
  FILL(x, N);
  FILL(y, N);
  sum_i(N, x, result + 0);
#pragma streamap wait
  show("sum_i", result[0]);
  sum_d(N, x, result + 1);
#pragma streamap wait
  show("sum_d", result[1]);
  sum_f(N, x, result + 2);
#pragma streamap wait
  show("sum_f", result[2]);
  minus(N, x, result + 3);
#pragma streamap wait
  show("minus", result[3]);
  product(N, x, result + 4);
#pragma streamap wait
  show("product", result[4]);
  least(N, x, result + 5);
#pragma streamap wait
  show("least", result[5]);
  most(N, x, result + 6);
#pragma streamap wait
  show("most", result[6]);
  least_d(N, x, result + 7);
#pragma streamap wait
  show("least_d", result[7]);
  most_f(N, x, result + 8);
#pragma streamap wait
  show("most_f", result[8]);
  most_u(N, x, result + 9);
#pragma streamap wait
  show("most_u", result[9]);
  bit_and(N, x, result + 10);
#pragma streamap wait
  show("bit_and", result[10]);
  bit_or(N, x, result + 11);
#pragma streamap wait
  show("bit_or", result[11]);
  bit_xor(N, x, result + 12);
#pragma streamap wait
  show("bit_xor", result[12]);
  all(N, x, result + 13);
#pragma streamap wait
  show("all", result[13]);
  any(N, x, result + 14);
#pragma streamap wait
  show("any", result[14]);
  sum_d(0, x, result);
#pragma streamap wait
  show("sum of 0", result[0]);
  sum_d(1, x, result);
#pragma streamap wait
  show("sum of 1", result[0]);
  sum_d(31, x, result);
#pragma streamap wait
  show("sum of 31", result[0]);
  sum_d(33, x, result);
#pragma streamap wait
  show("sum of 33", result[0]);
  sum_d(1024, x, result);
#pragma streamap wait
  show("sum of 1024", result[0]);
  sum_d(1025, x, result);
#pragma streamap wait
  show("sum of 1025", result[0]);
  sum_d(2048, x, result);
#pragma streamap wait
  show("sum of 2048", result[0]);
  several(N, x, result);
#pragma streamap wait
  SHOW("several", result, 4);
  over_a_nest(50, 100, x, result);
#pragma streamap wait
  show("nest", result[0]);
  in_steps(N, y, result);
#pragma streamap wait
  SHOW("steps", result, 8);
  SHOW("y", y, N);
  of_the_launch(N, x, &total);
  histogram(N, x, bins);
  atomics(N, x, cells);
#pragma streamap wait
  show("launch", total);
  SHOW("bins", bins, 8);
  SHOW("cells", cells, 6);
  return 0;
}
