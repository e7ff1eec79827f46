/* What stands around the name in a definition's head: storage, inline, attributes.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "../forms.h"

#pragma streamap resource 2:C split(i) inout(x[i])
void c_plain(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 1;
}
FORM(c_plain, "extern function") { NUMBERS(x); c_plain(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
static void c_static(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 2;
}
FORM(c_static, "static") { NUMBERS(x); c_static(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
static inline void c_static_inline(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 3;
}
FORM(c_static_inline, "static inline") { NUMBERS(x); c_static_inline(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
inline void c_inline(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 4;
}
extern void c_inline(int n, int *x);
FORM(c_inline, "C99 inline, with its extern declaration behind") { NUMBERS(x); c_inline(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
extern inline void c_extern_inline(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 5;
}
FORM(c_extern_inline, "extern inline") { NUMBERS(x); c_extern_inline(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
static __inline__ __attribute__((always_inline)) void c_always_inline(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 6;
}
FORM(c_always_inline, "always_inline") { NUMBERS(x); c_always_inline(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
__attribute__((noinline, hot)) void c_attribute_before(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 7;
}
FORM(c_attribute_before, "attributes before the type") { NUMBERS(x); c_attribute_before(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void __attribute__((noinline)) __attribute__((cold)) c_attribute_between(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 8;
}
FORM(c_attribute_between, "attributes between type and name") { NUMBERS(x); c_attribute_between(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_attribute_prototype(int n, int *x) __attribute__((nonnull(2), noinline));

void c_attribute_prototype(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 9;
}
FORM(c_attribute_prototype, "directive and attributes at the prototype alone") { NUMBERS(x); c_attribute_prototype(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
__attribute__((weak)) void c_weak(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 10;
}
FORM(c_weak, "weak") { NUMBERS(x); c_weak(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
__attribute__((visibility("hidden"))) void c_hidden(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 11;
}
FORM(c_hidden, "hidden visibility") { NUMBERS(x); c_hidden(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
__attribute__((section("forms_text"))) void c_section(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 12;
}
FORM(c_section, "a section of its own") { NUMBERS(x); c_section(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_aliased(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 13;
}
void c_alias(int n, int *x) __attribute__((alias("c_aliased")));
FORM(c_alias, "called by an alias") { NUMBERS(x); c_alias(SIZE, x); c_aliased(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_symbol(int n, int *x) __asm__("c_symbol_by_another_name");
void c_symbol(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 14;
}
FORM(c_symbol, "a symbol of another name") { NUMBERS(x); c_symbol(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
__attribute__((target("sse2"))) void c_target(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 15;
}
FORM(c_target, "target attribute") { NUMBERS(x); c_target(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
__extension__ void c_extension(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 16;
}
FORM(c_extension, "__extension__") { NUMBERS(x); c_extension(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
#pragma GCC diagnostic ignored "-Wunused-macros"
void c_other_pragma(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 17;
}
FORM(c_other_pragma, "another pragma between") { NUMBERS(x); c_other_pragma(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void c_order(int long unsigned n, int volatile *x)
{
    for (unsigned i = 0; i < n; i++)
        x[i] += 18;
}
FORM(c_order, "specifiers in an order of their own") { NUMBERS(x); c_order(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
