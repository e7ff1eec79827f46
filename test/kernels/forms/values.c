/* Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a loop takes from the code around it.
#include "show.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SQUARE(v) ((v) * (v))
#define BODY(k) y[k] += SQUARE(k % 7)
enum { N = 500 };
enum colour { RED, GREEN = 5, BLUE };
typedef struct {
  float x, y;
} point;
struct box {
  point low, high;
  int tag[3];
};
static const double weights[4] = {1, 2, 4, 8};
static const int offset = 11;
static const struct box unit = {{0, 0}, {1, 1}, {1, 2, 3}};

#pragma streamap resource 1 : G inout(y[0 : n])
void by_value(int n, double *y, struct box b, point p, bool flag, char c) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] += b.high.x + b.tag[i % 3] + p.y + (flag ? c : 0);
}

#pragma streamap resource 1 : G inout(y[0 : n])
void locals(int n, double *y) {
  const int half = n / 2;
  double factor = half * 0.5;
  double *second = y + half;
  double table[5] = {1, 2, 3, 4, 5};
  factor += 1;
#pragma omp parallel for
  for (int i = 0; i < half; i++)
    second[i] = y[i] * factor + table[i % 5];
}

#pragma streamap resource 1 : G inout(y[0 : n])
void constants(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] += weights[i & 3] * offset + unit.tag[i % 3] + BLUE;
}

#pragma streamap resource 1 : G inout(y[0 : n])
void macros(int n, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    BODY(i);
    y[i] -= SQUARE(SQUARE(1 + i % 2));
  }
}

#pragma streamap resource 1 : G inout(y[0 : n])
void enumerations(int n, int *y, enum colour c) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    enum colour mine = i % 2 ? c : RED;
    mine = y[i] > 3 ? GREEN : mine;
    switch (mine) {
    case RED:
      y[i] += 1;
      break;
    case GREEN:
      y[i] += 10;
      break;
    default:
      y[i] -= 1;
    }
  }
}

#pragma streamap resource 1 : G inout(p[0 : n])
void structures(int n, point *p) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    point old = p[i], turned = {.x = -old.y, .y = old.x};
    p[i] = turned;
    p[i].x += ((point){1, 2}).y;
  }
}

#pragma streamap resource 1 : G inout(y[0 : n])
void privates(int n, double *y) {
  double t, u = 3, v = 0;
  int last = -1, few[3] = {5, 6, 7};
#pragma omp parallel for private(t) firstprivate(u, few) lastprivate(last)
  for (int i = 0; i < n; i++) {
    t = y[i];
    few[i % 3] = 5 + i % 3; // what each iteration finds must be what was given
    last = i;
    if (i % 4 == 0)
      continue;
    y[i] = t * 2 + u + few[i % 3];
  }
  y[0] = last;
  v += 1;
#pragma omp parallel for
  for (int i = 1; i < n; i++)
    y[i] += v + last;
}

#pragma streamap resource 1 : G inout(y[0 : n])
void local_types(int n, double *y) {
  enum { SHIFT = 4 };
  typedef int counter;
  struct pair {
    counter a, b;
  };
  static const double scale[2] = {0.5, 2};
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    struct pair q = {i, i + SHIFT};
    counter d = q.b - q.a;
    y[i] = y[i] * scale[i % 2] + d;
  }
}

#pragma streamap resource 1 : G inout(y[0 : n])
void cplusplus_words(int n, double *y, double new, int class) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double this = new *class, template = i;
    y[i] += this + template;
  }
}

#pragma streamap resource 1 : G inout(raw[0 : n])
void untyped(int n, unsigned char *raw) {
  void *anything = raw;
#pragma omp parallel for
  for (int i = 0; i < n / 8; i++) {
    uint64_t *word = anything;
    word[i] = word[i] >> 1 ^ (uint64_t)i << 40;
  }
}

#pragma streamap resource 1 : G inout(y[0 : n])
void changed_parameter(int n, double *y, double a) {
  a *= 2;
  n -= n % 2;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] += a;
}

int main(void) {
  double y[N];
  int k[N];
  point p[N];
  unsigned char raw[8 * 50];
  struct box b = unit;
  FILL(y, N);
  FILL(k, N);
  FILL(raw, 400);
  for (int i = 0; i < N; i++)
    p[i] = (point){i, i * 0.5f};
  b.tag[1] = 20;
  by_value(N, y, b, (point){2, 3}, true, 'x');
  locals(N, y);
  constants(N, y);
  macros(N, y);
  enumerations(N, k, BLUE);
  structures(N, p);
  local_types(N, y);
  cplusplus_words(N, y, 1.5, 2);
  untyped(400, raw);
  changed_parameter(N, y, 4);
#pragma streamap wait
  SHOW("y", y, N);
  privates(N, y);
#pragma streamap wait
  SHOW("privates", y, N);
  SHOW("k", k, N);
  SHOW("p", &p[0].x, 2 * N);
  SHOW("raw", raw, 400);
  return 0;
}
