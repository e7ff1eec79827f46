/* Definitions that macros make, in part or as a whole.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>

#include "../forms.h"

#define KERNEL __attribute__((noinline)) void
#define NAME(x) c_macro_##x
#define LIST int n, int *x
#define FIRST 0
#define LAST(n) ((n) - 1)
#define ALL(x) (x)
#define TASKS 2
#define CLAUSES split(i) inout(x[i])

#pragma streamap resource TASKS:C CLAUSES
KERNEL c_macro_type(int n, int *x)
{
    for (int i = FIRST; i < LAST(n); i++)
        ALL(x[i]) += 1;
}
FORM(c_macro_type, "type and attributes by a macro; so are list and clauses of the directive") { NUMBERS(x); c_macro_type(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void NAME(name)(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 2;
}
FORM(c_macro_name, "name by a macro") { NUMBERS(x); NAME(name)(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
static void c_macro_list(LIST)
{
    for (int i = 0; i < n; i++)
        x[i] += 3;
}
FORM(c_macro_list, "parameter list by a macro") { NUMBERS(x); c_macro_list(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#define HEAD(name, type) static void name(int n, type *x)
#pragma streamap resource 2:C split(i) inout(x[i])
HEAD(c_macro_head, int)
{
    for (int i = 0; i < n; i++)
        x[i] += 4;
}
FORM(c_macro_head, "the whole head by a macro") { NUMBERS(x); c_macro_head(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#define TASK(text) _Pragma(#text)
TASK(streamap resource 2:C split(i) inout(x[i]))
void c_pragma_operator(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 6;
}
FORM(c_pragma_operator, "_Pragma in a macro") { NUMBERS(x); c_pragma_operator(SIZE, x);
    TASK(streamap wait)
    SHOW(x); }

/* A macro of the function's own name: calls go through it unless the name is in parentheses. */
#pragma streamap resource 2:C split(i) inout(x[i])
void (c_same_name)(int n, int *x, int by)
{
    for (int i = 0; i < n; i++)
        x[i] += by;
}
#define c_same_name(n, x) c_same_name(n, x, 7)
FORM(c_same_name, "a macro of the same name; name in parentheses") { NUMBERS(x); c_same_name(SIZE, x); (c_same_name)(SIZE, x, 1000);
    #pragma streamap wait
    SHOW(x); }

#define G 9.81
#define C 299792458
#define split(x) nonsense(x)
#pragma streamap resource 1:C, 1:c split(i) inout(x[i])
void c_hostile_macros(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += (int)G;
}
#undef split
#undef C
#undef G
FORM(c_hostile_macros, "macros named like words of the grammar") { NUMBERS(x); c_hostile_macros(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_conditional(int n,
#if TASKS == 2
                   int by,
#else
                   long by, long unused,
#endif
                   int *x)
{
    for (int i = 0; i < n; i++)
#ifdef c_same_name
        x[i] += by;
#else
        x[i] = 0;
#endif
}
FORM(c_conditional, "#if in head and body") { NUMBERS(x); c_conditional(SIZE, 9, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_included(int n, int *x)
{
#include "body.inc"
}
FORM(c_included_body, "the body from another file") { NUMBERS(x); c_included(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C out(names[0:3*TEXT])
void c_its_name(char *names)
{
    snprintf(names, TEXT, "%s", __func__);
    snprintf(names + TEXT, TEXT, "%s", __FUNCTION__);
    snprintf(names + 2 * TEXT, TEXT, "%d", __LINE__);
}
FORM(c_its_name, "__func__, __FUNCTION__ and __LINE__") { char names[3 * TEXT]; c_its_name(names);
    #pragma streamap wait
    for (int k = 0; k < 3; k++)
        form_say(names + k * TEXT); }

#line 700 "forms of another name.y"
#pragma streamap resource 1:C out(place[0:TEXT])
void c_line_directive(char *place)
{
    snprintf(place, TEXT, "%s:%d", __FILE__, __LINE__);
}
FORM(c_line_directive, "behind #line") { char place[TEXT]; c_line_directive(place);
    #pragma streamap wait
    form_say(place); }
