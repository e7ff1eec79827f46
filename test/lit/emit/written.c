// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An out section travels one way only where every element is surely written.
// RUN: %streamap-cc --streamap-explain -c %s -o %t.o | FileCheck %s

// CHECK: task rows
// CHECK: {{^}}  out        next[y : 1 of h][1 : w-2 of
#pragma streamap resource *:C split(y) in(now[y-1:3][0:w]) out(next[y][1:w-2])
void rows(long h, long w, const float now[h][w], float next[h][w])
{
    #pragma omp parallel for
    for (long y = 1; y < h - 1; y++)
        for (long x = 1; x < w - 1; x++)
            next[y][x] = now[y - 1][x] + now[y + 1][x];
}

// CHECK: task flat
// CHECK: {{^}}  out        a[i * n : n]
#pragma streamap resource 2:C split(i) out(a[i * n : n])
void flat(int n, int *a)
{
    for (int i = 0; i < n; i++) {
        int before = 1;
        for (int j = 0; j <= n - 1; j++)
            a[i * n + j] = before;
    }
}

// CHECK: task whole
// CHECK: {{^}}  out        y[0 : n]
#pragma streamap resource 1:C out(y[0:n])
void whole(int n, int *y)
{
    for (int k = 0; k < n; k++)
        y[k] = k;
}

// CHECK: task assumed
// CHECK: {{^}}  out        y[0 : n]   (assumed to be written whole)
#pragma streamap resource 1:C out(assume: y[0:n])
void assumed(int n, int *y)
{
    for (int k = 0; k < n; k += 2)
        y[k] = y[k + 1] = k;
}

// CHECK: task one_short
// CHECK: {{^}}  inout      y[0 : n]
// CHECK-NEXT: asked for as out, but travels both ways
#pragma streamap resource 1:C out(y[0:n])
void one_short(int n, int *y)
{
    for (int k = 0; k < n - 1; k++)
        y[k] = k;
}

// CHECK: task guarded
// CHECK: {{^}}  inout      y[i : 1]
#pragma streamap resource 2:C split(i) in(x[i]) out(y[i])
void guarded(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
        if (x[i])
            y[i] = x[i];
}

// CHECK: task skipped
// CHECK: {{^}}  inout      y[i : 1]
#pragma streamap resource 2:C split(i) in(x[i]) out(y[i])
void skipped(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++) {
        if (x[i])
            continue;
        y[i] = x[i];
    }
}

// CHECK: task left
// CHECK: {{^}}  inout      a[i : 1 of n][0 : n
#pragma streamap resource 2:C split(i) out(a[i][0:n])
void left(int n, int a[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i][j] = 0;
            if (j == i)
                break;
        }
}

// CHECK: task one_loop_of_two
// CHECK: {{^}}  inout      y[i : 1]
#pragma streamap resource 2:C split(i) inout(x[i]) out(y[i])
void one_loop_of_two(int n, int *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = i;
    for (int i = n; i < 2 * n; i++)
        x[i] = i;
}

// CHECK: task changed
// CHECK: {{^}}  inout      y[0 : n]
#pragma streamap resource 1:C out(y[0:n])
void changed(int n, int *y)
{
    n--;
    for (int k = 0; k < n; k++)
        y[k] = k;
}

// CHECK: task hidden
// CHECK: {{^}}  inout      y[0 : n]
#pragma streamap resource 1:C out(y[0:n])
void hidden(int n, int *y)
{
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < 3; n++)
            y[n] = k;
}

// CHECK: task early
// CHECK: {{^}}  inout      y[0 : n]
#pragma streamap resource 1:C out(y[0:n])
void early(int n, int *y)
{
    if (n < 4)
        return;
    for (int k = 0; k < n; k++)
        y[k] = k;
}
