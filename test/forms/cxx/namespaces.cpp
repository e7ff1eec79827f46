/* Where a C++ definition may stand, and how its name is found.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "../forms.h"

namespace sea {
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_namespace(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 42;
}
}
FORM(cxx_namespace, "in a namespace") { NUMBERS(x); sea::cxx_namespace(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

namespace sea::deep {
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_nested_namespace(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 43;
}
}
FORM(cxx_nested_namespace, "in nested namespaces") { NUMBERS(x); sea::deep::cxx_nested_namespace(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

namespace {
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_anonymous(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 44;
}
}
FORM(cxx_anonymous, "in an anonymous namespace") { NUMBERS(x); cxx_anonymous(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

namespace sea::inline v2 {
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_inline_namespace(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 45;
}
}
FORM(cxx_inline_namespace, "in an inline namespace") { NUMBERS(x); sea::cxx_inline_namespace(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

namespace sea { void cxx_qualified(int n, int *x); }
#pragma streamap resource 2:C split(i) inout(x[i])
void sea::cxx_qualified(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 46;
}
FORM(cxx_qualified, "defined by its qualified name") { NUMBERS(x); sea::cxx_qualified(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

namespace ice {
struct floe { int weight; };
enum class side { left = 3, right };
constexpr int margin = 2;
#pragma streamap resource (margin):C split(i) inout(x[i + margin - 2])
void cxx_types_of_namespace(int n, floe by, side where, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += by.weight * margin + static_cast<int>(where);
}
}
FORM(cxx_types_of_namespace, "types and constants of its namespace in head and clauses") { NUMBERS(x); cxx_types_of_namespace(SIZE, ice::floe{5}, ice::side::right, x); // found by its argument
    #pragma streamap wait
    SHOW(x); }

namespace ice {
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_using(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 48;
}
}
FORM(cxx_using, "called by a using-declaration") { NUMBERS(x); using ice::cxx_using; namespace frozen = ice; cxx_using(SIZE, x); frozen::cxx_using(1, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_overload(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 1;
}
#pragma streamap resource 3:C split(i) inout(x[i])
void cxx_overload(int n, int *x, int by)
{
    for (int i = 0; i < n; i++)
        x[i] += by;
}
#pragma streamap resource 1:C inout(x[0:n])
void cxx_overload(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 0.5;
}
#pragma streamap resource 1:C
void cxx_overload(int (&x)[SIZE])
{
    for (int &value : x)
        value *= 2;
}
FORM(cxx_overload, "four overloads") { NUMBERS(x); double y[2] = {1, 2};
    cxx_overload(SIZE, x); cxx_overload(SIZE, x, 100); cxx_overload(2, y); cxx_overload(x);
    #pragma streamap wait
    SHOW(x); const int t[] = {static_cast<int>(y[0] * 10 + y[1] * 100)}; SHOW(t); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_default_arguments(int n, int *x, int by = SIZE, int times = sizeof(long))
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] * times + by;
}
FORM(cxx_default_arguments, "default arguments") { NUMBERS(x); cxx_default_arguments(SIZE, x); cxx_default_arguments(SIZE, x, 1);
    #pragma streamap wait
    SHOW(x); }

void cxx_default_at_prototype(int n, int *x, int by = 9);
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_default_at_prototype(int n, int *x, int by)
{
    for (int i = 0; i < n; i++)
        x[i] += by;
}
FORM(cxx_default_at_prototype, "default arguments at the prototype") { NUMBERS(x); cxx_default_at_prototype(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

static int cxx_global_numbers[SIZE];
namespace {
struct at_start {
    at_start();
} const cxx_at_start;
}
#pragma streamap resource 2:C split(i) out(x[i])
void cxx_before_main(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = i * i;
}
at_start::at_start() { cxx_before_main(SIZE, cxx_global_numbers); }
FORM(cxx_before_main, "called by a constructor before main") { SHOW(cxx_global_numbers); }
