// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Definitions in every dress: the answer is that of the plain compiler, and nothing is warned of.
// RUN: mkdir -p %t && %cc -w -I%include %s -o %t/plain && %t/plain > %t/plain.out
// RUN: %streamap-cc -std=gnu11 -O2 -Wall -Wextra -Wconversion -Wshadow -Wcast-qual -Wmissing-declarations -Wredundant-decls -Werror %s -o %t/ours
// RUN: %t/ours > %t/ours.out && diff %t/plain.out %t/ours.out
// RUN: %streamap-cc -std=gnu11 -pedantic -Wall -Wextra -Werror %s -o %t/ours && %t/ours > %t/ours.out && diff %t/plain.out %t/ours.out
#include <stdio.h>
#include <streamap/streamap.h>

#define PAIR 2
#define C 77
#define in nothing
#define name(x) 5
#define TASK(signature) _Pragma("streamap resource 1:C inout(y[0:n])") void signature
#define WAIT _Pragma("streamap wait")
#define LAST(n) ((n) - 1)
#define DONE }

/* The directive speaks the words of its declaration, the definition has others. */
#pragma streamap resource PAIR:C split(i) inout(data[i:1]) extent(data[0:count])
void renamed(int count, double *data);
void renamed(int m, double *v)
{
    for (int i = 0; i < m; i++)
        v[i] += 1;
}

TASK(made(int n, double *y));
TASK(made(int n, double *y))
{
    for (int k = 0; k < n; k++)
        y[k] *= 2;
}

#pragma streamap resource 1:C inout(y[0:n])
__attribute__((weak)) void weakling(int n, double *y);
__attribute__((weak, noinline)) void weakling(int n, double *y) { for (int k = 0; k < n; k++) y[k] += 3; }

#pragma streamap resource 1:C inout(y[0:n])
extern inline void inlined(int n, double *y);
inline void inlined(int n, double *y) { for (int k = 0; k < n; k++) y[k] += 5; }

#pragma streamap resource 1:C inout(y[0:n])
void (parenthesised)(int n, double *y);
void (parenthesised)(int n, double *y) { for (int k = 0; k < n; k++) y[k] += 7; }

typedef struct { int a[3]; const int k; } box;
enum what { FOUR = 4 };
#pragma streamap resource (b.a[1] + (int)what):C split(i) inout(y[i])
static void boxed(const box b, enum what what, int n, double *restrict y, _Bool flag, unsigned char small, long double big)
{
    double extra = flag ? small : (double)big;
    unsigned short i;
    for (i = (unsigned short)LAST(n); i != 0; i -= 1) {
        y[i] += b.a[2] + b.k + extra + (double)(what - FOUR);
    DONE
}

#pragma streamap resource 2:C split(row) inout(A[row][0:m])
static void matrix(int n, int m, double A[restrict n][m])
{
    for (int row = 0; row <= n - 1; ++row)
        for (int c = 0; c < m; c++)
            A[row][c] += row * 10 + c;
}

#pragma streamap resource 1:C
static void nothing_at_all(void) { }

int main(void)
{
    double y[4] = {1, 2, 3, 4}, A[3][2] = {{0}};
    box b = {{1, 1, 100}, 9};
    renamed(4, y);
    made(4, y);
    weakling(4, y);
    inlined(4, y);
    parenthesised(4, y);
    boxed(b, FOUR, 4, y, 1, 2, 3);
    matrix(3, 2, A);
    nothing_at_all();
    WAIT;
    printf("%g %g %g %g, %g %g\n", y[0], y[1], y[2], y[3], A[1][0], A[2][1]);
    return 0;
}
