/* Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Elements of every type.
#include "show.h"
#include <stdint.h>

enum { N = 400 };

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_c(int n, char a, const char *x, char *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (char)(y[i] * a + x[i] / (char)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_sc(int n, signed char a, const signed char *x, signed char *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (signed char)(y[i] * a + x[i] / (signed char)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_uc(int n, unsigned char a, const unsigned char *x, unsigned char *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (unsigned char)(y[i] * a + x[i] / (unsigned char)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_s(int n, short a, const short *x, short *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (short)(y[i] * a + x[i] / (short)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_us(int n, unsigned short a, const unsigned short *x, unsigned short *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (unsigned short)(y[i] * a + x[i] / (unsigned short)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_i(int n, int a, const int *x, int *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (int)(y[i] * a + x[i] / (int)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_u(int n, unsigned a, const unsigned *x, unsigned *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (unsigned)(y[i] * a + x[i] / (unsigned)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_l(int n, long a, const long *x, long *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (long)(y[i] * a + x[i] / (long)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_ul(int n, unsigned long a, const unsigned long *x, unsigned long *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (unsigned long)(y[i] * a + x[i] / (unsigned long)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_ll(int n, long long a, const long long *x, long long *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (long long)(y[i] * a + x[i] / (long long)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_ull(int n, unsigned long long a, const unsigned long long *x, unsigned long long *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (unsigned long long)(y[i] * a + x[i] / (unsigned long long)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_f(int n, float a, const float *x, float *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (float)(y[i] * a + x[i] / (float)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_d(int n, double a, const double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (double)(y[i] * a + x[i] / (double)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_b(int n, _Bool a, const _Bool *x, _Bool *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (_Bool)(y[i] * a + x[i] / (_Bool)1);
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_i8(int n, int8_t a, const int8_t *x, int8_t *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (int8_t)(y[i] * a + x[i] / (int8_t)(1 + i % 7));
}

#pragma streamap resource 1 : G split(i) in(x[i])inout(y[i])
void of_u32(int n, uint32_t a, const uint32_t *x, uint32_t *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (uint32_t)(y[i] * a + x[i] / (uint32_t)(1 + i % 7));
}

int main(void) {
  char x_c[N], y_c[N];
  FILL(x_c, N);
  FILL(y_c, N);
  of_c(N, (char)3, x_c, y_c);
  signed char x_sc[N], y_sc[N];
  FILL(x_sc, N);
  FILL(y_sc, N);
  of_sc(N, (signed char)3, x_sc, y_sc);
  unsigned char x_uc[N], y_uc[N];
  FILL(x_uc, N);
  FILL(y_uc, N);
  of_uc(N, (unsigned char)3, x_uc, y_uc);
  short x_s[N], y_s[N];
  FILL(x_s, N);
  FILL(y_s, N);
  of_s(N, (short)3, x_s, y_s);
  unsigned short x_us[N], y_us[N];
  FILL(x_us, N);
  FILL(y_us, N);
  of_us(N, (unsigned short)3, x_us, y_us);
  int x_i[N], y_i[N];
  FILL(x_i, N);
  FILL(y_i, N);
  of_i(N, (int)3, x_i, y_i);
  unsigned x_u[N], y_u[N];
  FILL(x_u, N);
  FILL(y_u, N);
  of_u(N, (unsigned)3, x_u, y_u);
  long x_l[N], y_l[N];
  FILL(x_l, N);
  FILL(y_l, N);
  of_l(N, (long)3, x_l, y_l);
  unsigned long x_ul[N], y_ul[N];
  FILL(x_ul, N);
  FILL(y_ul, N);
  of_ul(N, (unsigned long)3, x_ul, y_ul);
  long long x_ll[N], y_ll[N];
  FILL(x_ll, N);
  FILL(y_ll, N);
  of_ll(N, (long long)3, x_ll, y_ll);
  unsigned long long x_ull[N], y_ull[N];
  FILL(x_ull, N);
  FILL(y_ull, N);
  of_ull(N, (unsigned long long)3, x_ull, y_ull);
  float x_f[N], y_f[N];
  FILL(x_f, N);
  FILL(y_f, N);
  of_f(N, (float)3, x_f, y_f);
  double x_d[N], y_d[N];
  FILL(x_d, N);
  FILL(y_d, N);
  of_d(N, (double)3, x_d, y_d);
  _Bool x_b[N], y_b[N];
  FILL(x_b, N);
  FILL(y_b, N);
  of_b(N, (_Bool)3, x_b, y_b);
  int8_t x_i8[N], y_i8[N];
  FILL(x_i8, N);
  FILL(y_i8, N);
  of_i8(N, (int8_t)3, x_i8, y_i8);
  uint32_t x_u32[N], y_u32[N];
  FILL(x_u32, N);
  FILL(y_u32, N);
  of_u32(N, (uint32_t)3, x_u32, y_u32);
#pragma streamap wait
  SHOW("c", y_c, N);
  SHOW("sc", y_sc, N);
  SHOW("uc", y_uc, N);
  SHOW("s", y_s, N);
  SHOW("us", y_us, N);
  SHOW("i", y_i, N);
  SHOW("u", y_u, N);
  SHOW("l", y_l, N);
  SHOW("ul", y_ul, N);
  SHOW("ll", y_ll, N);
  SHOW("ull", y_ull, N);
  SHOW("f", y_f, N);
  SHOW("d", y_d, N);
  SHOW("b", y_b, N);
  SHOW("i8", y_i8, N);
  SHOW("u32", y_u32, N);
  return 0;
}
