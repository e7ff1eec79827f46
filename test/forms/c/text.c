/* How a definition is laid out, and what its body holds.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdlib.h>
#include <string.h>

#include "../forms.h"

#ifdef __clang__
#pragma GCC diagnostic ignored "-Wdeprecated-non-prototype" /* old_style, below */
#endif

#pragma streamap resource 2:C split(i) inout(x[i])
void c_one_line(int n, int *x) { for (int i = 0; i < n; i++) x[i] += 1; } static int behind_one_line(void) { return __LINE__; }
FORM(c_one_line, "another function behind it on its line") { NUMBERS(x); c_one_line(SIZE, x);
    #pragma streamap wait
    SHOW(x); form_show(1, (int[]){behind_one_line()}); }

#pragma streamap resource \
    2:C                   \
    split(i)              \
    inout(x[i])
void
c_many_lines
(
    int n, /* how many { */
    int *x // what )
)
/* { not yet */
{ // now }
    for (int i = 0; i < n; i++)
        x[i] += '{' + (int)strlen("}}\"{") + __LINE__;
    /* } */ }
FORM(c_many_lines, "a token a line, with braces in comments and strings") { NUMBERS(x); c_many_lines(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
vo\
id c_spl\
iced(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 4;
}
FORM(c_spliced, "tokens that go over a line's end") { NUMBERS(x); c_spliced(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(größe[i])
void c_umlauts(int n, int *größe)
{
    for (int i = 0; i < n; i++)
        größe[i] += 5;
}
FORM(c_umlauts, "letters that are not ASCII in names") { NUMBERS(x); c_umlauts(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:n])
void c_returns(int n, int *x)
{
    if (n > 100)
        return;
    for (int i = 0; i < n; i++) {
        if (i == 7)
            return;
        x[i] = 6;
    }
}
FORM(c_returns, "several returns") { NUMBERS(x); c_returns(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:n])
void c_jumps(int n, int *x)
{
    int i = 0;
again:
    switch (x[i] % 4) {
    case 0:
        x[i] = -1;
        goto next;
    case 1: {
        x[i] *= 2;
        break;
    }
    default:
        do
            x[i]--;
        while (x[i] % 4 > 1);
    }
next:
    if (++i < n)
        goto again;
}
FORM(c_jumps, "labels, goto and switch") { NUMBERS(x); c_jumps(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:n])
void c_local_types(int n, int *x)
{
    struct pair { int a, b; };
    enum { TWO = 2 };
    typedef struct pair pair;
    int copy[n];
    memcpy(copy, x, sizeof copy);
    for (int i = 0; i < n; i++) {
        pair p = {.b = copy[n - 1 - i], .a = TWO};
        x[i] = p.a * p.b;
    }
}
FORM(c_local_types, "types and variable-length arrays in the body") { NUMBERS(x); c_local_types(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_statement_expression(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = __extension__({ int t = x[i]; t * t; }) + __builtin_choose_expr(1, 3, 4) + _Generic(x[i], int: 1, default: 2);
}
FORM(c_statement_expression, "statement expressions and _Generic") { NUMBERS(x); c_statement_expression(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

static int old_style(a, b)
    int a;
    int b;
{
    return a * 10 + b;
}
#pragma streamap resource 2:C split(i) inout(x[i])
void c_old_style_callee(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = old_style(x[i], i);
}
FORM(c_old_style_callee, "calls an old-style function") { NUMBERS(x); c_old_style_callee(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:n])
void c_recursive(int n, int *x)
{
    if (n > 1) {
        c_recursive(n - 1, x + 1);
        x[0] += x[1];
    }
}
FORM(c_recursive, "calls itself") { NUMBERS(x); c_recursive(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_repeated(int n, int *x);
#pragma streamap resource 2:C split(i) inout(x[i])
extern void c_repeated(int, int *);
#pragma streamap resource 2:C split(i) inout(x[i])
void c_repeated(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 13;
}
void c_repeated(int how_many, int *numbers);
FORM(c_repeated, "declared again and again, with other parameter names") { NUMBERS(x);
    extern void c_repeated(int, int *);
    c_repeated(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
#pragma streamap resource 1:C inout(x[0:n])
void c_callback(int n, int *x)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
}
FORM(c_callback, "hands a function to the library") { NUMBERS(x); c_callback(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_at_the_end(int n, int *x);
FORM(c_at_the_end, "defined behind its call, the last character of the file") { NUMBERS(x); c_at_the_end(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
void c_at_the_end(int n, int *x) { for (int i = 0; i < n; i++) x[i] += 15; }