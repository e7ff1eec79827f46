/* What a parameter list may look like.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "../forms.h"

#pragma streamap resource 1:C
void c_array(int n, int x[n])
{
    for (int i = 0; i < n; i++)
        x[i] *= 3;
}
FORM(c_array_parameter, "int x[n], no clause") { NUMBERS(x); c_array(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) in(a[i][0:m]) out(b[i][0:m])
void c_matrix(int n, int m, const int a[n][m], int b[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i][j] = a[i][m - 1 - j] + i;
}
FORM(c_matrix, "const int a[n][m]") { NUMBERS(x); NUMBERS(y);
    c_matrix(3, 4, (const int(*)[4])x, (int(*)[4])y);
    #pragma streamap wait
    SHOW(y); }

#pragma streamap resource 2:C split(i) inout(a[i][0:m])
void c_row_pointer(int n, int m, int (*a)[m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] += 10 * i + j;
}
FORM(c_row_pointer, "int (*a)[m]") { NUMBERS(x); c_row_pointer(4, 3, (int(*)[3])x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C
void c_static_bound(int x[static 12])
{
    for (int i = 0; i < 12; i++)
        x[i] ^= 5;
}
FORM(c_static_bound, "int x[static 12]") { NUMBERS(x); c_static_bound(x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) in(x[i]) out(y[i])
void c_qualified(const int n, const int *const restrict x, int *const restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2 + n;
}
FORM(c_qualified, "const and restrict everywhere") { NUMBERS(x); NUMBERS(y); c_qualified(SIZE, x, y);
    #pragma streamap wait
    SHOW(y); }

#pragma streamap resource 2:C split(i) in(x[i]) inout(y[i])
void c_array_qualifiers(int n, const int x[restrict n], int y[const restrict n])
{
    for (int i = 0; i < n; i++)
        y[i] += x[i];
}
FORM(c_array_qualifiers, "qualifiers in the brackets") { NUMBERS(x); NUMBERS(y); c_array_qualifiers(SIZE, x, y);
    #pragma streamap wait
    SHOW(y); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_volatile(int n, volatile int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] + 21;
}
FORM(c_volatile, "volatile elements") { NUMBERS(x); c_volatile(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

struct c_scale { short factor; unsigned low : 3, high : 5; char tag[3]; double weight; };
union c_either { int whole; unsigned char bytes[4]; };
enum c_way { C_UP = 1, C_DOWN = -1 };

#pragma streamap resource 2:C split(i) inout(x[i])
void c_by_value(int n, struct c_scale s, union c_either e, enum c_way way, bool flag, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = way * (x[i] * s.factor + (int)s.low + (int)s.high + s.tag[2] + (int)s.weight) + e.whole + flag;
}
FORM(c_by_value, "structs, unions, bit-fields, enums and _Bool by value") { NUMBERS(x);
    c_by_value(SIZE, (struct c_scale){3, 5, 17, {1, 2, 3}, 4.5}, (union c_either){.whole = 1000}, C_DOWN, 2 > 1, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_wide_values(int n, long double a, double complex z, int64_t w, signed char c, _Bool b, float f, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += (int)(a * 4) + (int)creal(z) - (int)cimag(z) + (int)(w >> 40) + c + b + (int)f;
}
FORM(c_wide_values, "long double, complex and small values") { NUMBERS(x);
    c_wide_values(SIZE, 1.25L, 7 + 3 * I, INT64_C(5) << 40, -2, 1, 2.5f, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_unused(int n, __attribute__((unused)) int spare, int *x __attribute__((unused)))
{
    for (int i = 0; i < n; i++)
        x[i] -= 1;
}
FORM(c_unused_parameter, "attributes at parameters") { NUMBERS(x); c_unused(SIZE, 4, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_register(register int n, register int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 100;
}
FORM(c_register, "register parameters") { NUMBERS(x); c_register(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C
void c_nothing(void)
{
}
FORM(c_no_parameters, "void f(void) with an empty body") { c_nothing();
    #pragma streamap wait
    form_say("ran"); }

typedef void c_operation(int n, int *x);
c_operation c_by_type;
#pragma streamap resource 2:C split(i) inout(x[i])
void c_by_type(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] /= 2;
}
FORM(c_function_type, "declared earlier by a function type") { NUMBERS(x); c_operation *f = c_by_type; f(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

/* Each is a word of the directive's grammar, too. */
#pragma streamap resource 2:C split(split) in(in[split]) out(out[split])
void c_words(int C, int G, const int *in, int *out)
{
    for (int split = 0; split < C; split++)
        out[split] = in[split] * G;
}
FORM(c_words, "parameters named like clauses") { NUMBERS(x); NUMBERS(y); c_words(SIZE, 7, x, y);
    #pragma streamap wait
    SHOW(y); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_shadow(int n, int *x)
{
    for (int i = 0; i < n; i++) {
        int n = x[i], entry = 3;
        { int x = n * entry; n = x; }
        x[i] = n;
    }
}
FORM(c_shadow, "parameters hidden by locals") { NUMBERS(x); c_shadow(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
