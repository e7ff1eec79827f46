/* A task called through pointers, tables, macros, the comma operator and conditional expressions.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 100 };

#pragma streamap resource 2:C split(i) inout(x[i])
void add(long n, int k, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] += k;
}

#pragma streamap resource 2:C split(i) inout(x[i])
static void times(long n, int k, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] *= k;
}

typedef void operation(long, int, int *);
static operation *const table[] = {add, times, add};

#define CALL(f, ...) f(__VA_ARGS__)
#define TWICE(statement) do { statement; statement; } while (0)
#define APPLY(f, x) TWICE(CALL(f, N, 3, x))

static void each(operation *f, int *x)
{
    for (int i = 0; i < N; i += 10)
        (*f)(10, i, x + i);
}

int main(void)
{
    int x[N], y[N];
    scramble_ints(N, x, 170);
    scramble_ints(N, y, 171);
    for (int k = 0; k < 3; k++)
        table[k](N, k + 2, x);
    each(add, x);
    each(&times, y);
    APPLY(add, x);
    APPLY(times, y);
    add(N, 1, x), times(N, 3, x);
    #pragma streamap wait
    x[0] > y[0] ? times(N, 5, y) : add(N, 5, y);
    (add)(N, 9, y);
    #pragma streamap wait
    show("x", x, sizeof x);
    show("y", y, sizeof y);
    return 0;
}
