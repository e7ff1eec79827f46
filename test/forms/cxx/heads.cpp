/* What stands around the name in a C++ definition's head.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "../forms.h"

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_plain(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 21;
}
FORM(cxx_plain, "a C++ function") { NUMBERS(x); cxx_plain(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
static void cxx_static(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 22;
}
FORM(cxx_static, "static") { NUMBERS(x); cxx_static(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
inline void cxx_inline(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 23;
}
FORM(cxx_inline, "inline") { NUMBERS(x); cxx_inline(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
constexpr void cxx_constexpr(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 24;
}
FORM(cxx_constexpr, "constexpr") { NUMBERS(x); cxx_constexpr(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_noexcept(int n, int *x) noexcept
{
    for (int i = 0; i < n; i++)
        x[i] += 25;
}
FORM(cxx_noexcept, "noexcept") { NUMBERS(x); cxx_noexcept(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_noexcept_when(int n, int *x) noexcept(sizeof(int) >= 4)
{
    for (int i = 0; i < n; i++)
        x[i] += 26;
}
FORM(cxx_noexcept_when, "noexcept(expression)") { NUMBERS(x); cxx_noexcept_when(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
auto cxx_trailing(int n, int *x) -> void
{
    for (int i = 0; i < n; i++)
        x[i] += 27;
}
FORM(cxx_trailing, "auto f(...) -> void") { NUMBERS(x); cxx_trailing(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
auto cxx_trailing_decltype(int n, int *x) noexcept -> decltype(cxx_trailing(n, x))
{
    for (int i = 0; i < n; i++)
        x[i] += 28;
}
FORM(cxx_trailing_decltype, "auto f(...) noexcept -> decltype(...)") { NUMBERS(x); cxx_trailing_decltype(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
extern "C" void cxx_c_linkage(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 29;
}
FORM(cxx_c_linkage, "extern \"C\"") { NUMBERS(x); cxx_c_linkage(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

extern "C" {
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_c_block(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 30;
}
}
FORM(cxx_c_block, "in an extern \"C\" block") { NUMBERS(x); cxx_c_block(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
extern "C++" void cxx_cxx_linkage(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 31;
}
FORM(cxx_cxx_linkage, "extern \"C++\"") { NUMBERS(x); cxx_cxx_linkage(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
[[gnu::noinline, gnu::hot]] void cxx_standard_attribute(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 32;
}
FORM(cxx_standard_attribute, "[[attributes]] in front") { NUMBERS(x); cxx_standard_attribute(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
[[maybe_unused]] static void cxx_maybe_unused(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 33;
}
FORM(cxx_maybe_unused, "[[maybe_unused]] static") { NUMBERS(x); cxx_maybe_unused(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_attribute_behind_name [[gnu::cold]] (int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 34;
}
FORM(cxx_attribute_behind_name, "[[attribute]] behind the name") { NUMBERS(x); cxx_attribute_behind_name(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

[[deprecated("too slow")]] void cxx_deprecated_twin(int n, double *x);
void cxx_deprecated_twin(int n, float *x) = delete;
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_deprecated_twin(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 35;
}
FORM(cxx_deprecated_twin, "beside a deprecated overload") { NUMBERS(x); cxx_deprecated_twin(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
__attribute__((weak, visibility("default"))) void cxx_gnu_attribute(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 36;
}
FORM(cxx_gnu_attribute, "__attribute__((weak, visibility(\"default\")))") { NUMBERS(x); cxx_gnu_attribute(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
[[gnu::target("sse2")]] void cxx_target(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 37;
}
FORM(cxx_target, "target attribute") { NUMBERS(x); cxx_target(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_prototype(int n, int *x);

void cxx_prototype(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 38;
}
FORM(cxx_prototype, "directive at the prototype alone") { NUMBERS(x); cxx_prototype(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

using cxx_operation = void(int n, int *x);
extern cxx_operation cxx_type_alias;
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_type_alias(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 39;
}
FORM(cxx_type_alias, "declared earlier by a type alias") { NUMBERS(x); cxx_type_alias(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void(cxx_in_parentheses)(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 40;
}
FORM(cxx_in_parentheses, "name in parentheses") { NUMBERS(x); cxx_in_parentheses(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

using cxx_nothing = void;
#pragma streamap resource 2:C split(i) inout(x[i])
cxx_nothing cxx_void_alias(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 41;
}
FORM(cxx_void_alias, "void by an alias") { NUMBERS(x); cxx_void_alias(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
