// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task model in words.
// RUN: %streamap-cc --streamap-explain -c %s -o %t.o | FileCheck %s
#include <streamap/streamap.h>

#define HALF(n) ((n) / 2)
int table[4];

// CHECK: explain.c:[[@LINE+13]]: task all
// CHECK-NEXT: resources  *:G, 3:C, (n / 2):C
// CHECK-NEXT: in         x[i * m : m of n * m]
// CHECK-NEXT: reduction  s[0 : streamap_read_0]
// CHECK-NEXT: in         A[0 : n of n]   (from its type)
// CHECK-NEXT: split      line [[@LINE+11]]: i = n - 1; i >= 0; step -1
// CHECK-NEXT: reads      table[2]   (by the call, once it is home)
// CHECK-NEXT: priority   2 * n
// CHECK-NEXT: cores      2
// CHECK-NEXT: memory     n * sizeof(double)
// CHECK-NEXT: share      25
// CHECK-NEXT: cost       1.5 * n
// CHECK-NEXT: once       never run twice
#pragma streamap resource *:G 3:C, (n / 2):C split(i) in(x[i * m : m]) extent(x[0 : n * m]) reduction(+: s[0:table[2]]) priority(2 * n) cores(2) memory(n * sizeof(double)) share(25) cost(1.5 * n) once
void all(int n, int m, const double *x, const double A[n][m], double *s)
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < m; j++) {
            s[0] += A[i][j] * x[i * m + j];
        }
}

// CHECK: task numbered
// CHECK-NEXT: resources  [0]:G, [1-3]:C
// CHECK-NEXT: in         x[streamap_task_index() : 1]
// CHECK-NEXT: out        y[streamap_task_index() : 1]
// CHECK-NEXT: asked for
#pragma streamap resource [0]:G, [1-3]:C in(x[streamap_task_index()]) out(y[streamap_task_index()])
void numbered(const int *x, int *y)
{
    y[streamap_task_index()] = x[streamap_task_index()];
}

// CHECK: task best
// CHECK-NEXT: resources  one task on whichever resource is best
// CHECK-NEXT: in         x[0 : 4 of 4]   (from its type)
// CHECK-NEXT: inout      y[0 : n of n]   (from its type)
#pragma streamap resource
void best(int n, const int x[4], int y[n])
{
    y[0] = x[0];
}
