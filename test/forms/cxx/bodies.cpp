/* What a C++ body may hold, and what it learns of itself.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../forms.h"

#pragma streamap resource 1:C inout(x[0:n])
void cxx_try_block(int n, int *x)
try {
    for (int i = 0; i < n; i++)
        if (x[i] > 90)
            throw std::out_of_range("more than 90");
        else
            x[i] = -1;
} catch (const std::out_of_range &error) {
    x[n - 1] = static_cast<int>(std::strlen(error.what()));
}
FORM(cxx_try_block, "a function try block") { NUMBERS(x); cxx_try_block(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:n])
void cxx_catches(int n, int *x)
{
    try {
        for (int i = 0; i < n; i++) {
            if (i == 5)
                throw i;
            x[i] = 0;
        }
    } catch (int i) {
        x[i] = 500;
        return;
    } catch (...) {
        x[0] = -1;
    }
}
FORM(cxx_catches, "throws and catches") { NUMBERS(x); cxx_catches(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

struct guard {
    int *place;
    explicit guard(int *p) : place(p) { *place += 1; }
    guard(const guard &) = delete;
    guard &operator=(const guard &) = delete;
    ~guard() { *place *= 2; }
};
#pragma streamap resource 1:C inout(x[0:n])
void cxx_destructors(int n, int *x)
{
    guard outer(x);
    for (int i = 1; i < n; i++) {
        guard inner(x + i);
        if (i == 6)
            return;
    }
}
FORM(cxx_destructors, "locals with destructors, left by return") { NUMBERS(x); cxx_destructors(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:n])
void cxx_library(int n, int *x)
{
    std::vector<int> copy(x, x + n);
    std::sort(copy.begin(), copy.end(), [](int a, int b) { return a > b; });
    std::map<int, std::string> names;
    for (const int &value : copy)
        names[value % 7] += static_cast<char>('a' + value % 26);
    auto [least, most] = std::minmax_element(copy.begin(), copy.end());
    for (int i = 0; i < n; i++)
        x[i] = copy[i] + static_cast<int>(names[copy[i] % 7].size()) + *most - *least;
}
FORM(cxx_library, "containers, algorithms and lambdas in the body") { NUMBERS(x); cxx_library(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

namespace {
constexpr int operator""_dozen(unsigned long long n) { return static_cast<int>(n) * 12; }
constexpr const char *raw = R"x(
#pragma streamap resource 4:C split(i)
void nothing() { } " )" )x";
}
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_literals(int n, int *x) // R"({
{
    for (int i = 0; i < n; i++)
        x[i] += 2_dozen + 1'000 + 0b11 + static_cast<int>(std::string_view(raw).size()) + R"({"})"[1];
}
FORM(cxx_literals, "raw strings with braces and pragmas, literals of all kinds") { NUMBERS(x); cxx_literals(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:n])
void cxx_lambdas(int n, int *x)
{
    auto twice = [](auto value) constexpr noexcept -> decltype(value) { return value + value; };
    auto fill = [x, n](int from, auto &&each) mutable {
        for (; from < n; from++)
            x[from] = each(x[from]);
    };
    fill(2, twice);
    fill(8, [&](int value) { return [=] { return value + n; }(); });
}
FORM(cxx_lambdas, "lambdas in lambdas") { NUMBERS(x); cxx_lambdas(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C out(text[0:4*TEXT])
void cxx_its_name(char *text)
{
    std::snprintf(text, TEXT, "%s", __func__);
    std::snprintf(text + TEXT, TEXT, "%s", __FUNCTION__);
    std::snprintf(text + 2 * TEXT, TEXT, "%s", __PRETTY_FUNCTION__);
    const auto here = std::source_location::current();
    std::snprintf(text + 3 * TEXT, TEXT, "%s:%u:%u %s", here.file_name(), here.line(), here.column(), here.function_name());
}
FORM(cxx_its_name, "__func__, __FUNCTION__, __PRETTY_FUNCTION__ and std::source_location") { char text[4 * TEXT]; cxx_its_name(text);
    #pragma streamap wait
    for (int k = 0; k < 4; k++)
        form_say(text + k * TEXT); }

static int where(std::source_location place = std::source_location::current())
{
    return static_cast<int>(place.line() * 100 + place.column());
}
namespace towers {
#pragma streamap resource 1:C out(text[0:2*TEXT], x[0:1])
template <class T, int N>
void cxx_template_name(char *text, T *x) { std::snprintf(text, TEXT, "%s", __PRETTY_FUNCTION__);
    const auto here = std::source_location::current(); std::snprintf(text + TEXT, TEXT, "%u:%u", here.line(), here.column()); x[0] = N + where();
}
}
FORM(cxx_template_name, "the same in a template, with columns on the brace's line") { char text[2 * TEXT]; int x[1]; towers::cxx_template_name<int, 3>(text, x);
    #pragma streamap wait
    form_say(text), form_say(text + TEXT), SHOW(x); }

#pragma streamap resource 1:C out(x[0:1])
void cxx_column(int *x) { x[0] = where(); } static const int cxx_column_behind = where();
FORM(cxx_column, "columns in and behind a definition of one line") { int x[1]; cxx_column(x); const int y[] = {cxx_column_behind};
    #pragma streamap wait
    SHOW(x); SHOW(y); }

#pragma streamap resource 2:C split(i) inout(x[i])
auto
cxx_many_lines // {
(
    int n /* ) */,
    int
        *x
)
noexcept
->
void
/* { */
{
    for (int i = 0; i < n; i++)
        x[i] += where();
}
FORM(cxx_many_lines, "a token a line") { NUMBERS(x); cxx_many_lines(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#define CXX_TASK(name, ...) \
    _Pragma("streamap resource 2:C split(i) inout(x[i])") \
    template <class T> static inline void name(int n, T *x __VA_OPT__(, ) __VA_ARGS__)
CXX_TASK(cxx_macro_head, T by)
{
    for (int i = 0; i < n; i++)
        x[i] += by;
}
FORM(cxx_macro_head, "directive and template head by one macro") { NUMBERS(x); cxx_macro_head(SIZE, x, 33);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:n])
void cxx_structures(int n, int *x)
{
    if (const int half = n / 2; half > 0) {
        for (auto [a, b] = std::pair(0, half); a < half; a++, b++)
            std::tie(x[a], x[b]) = std::pair(x[b], x[a]);
    } else [[unlikely]] {
        return;
    }
    using pointer = int *;
    enum class step { one = 1 };
    struct { pointer p; void add(int by) { *p += by; } } last{x + n - 1};
    last.add(static_cast<int>(step::one));
}
FORM(cxx_structures, "structured bindings, initialisers in if, local types") { NUMBERS(x); cxx_structures(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_alternative(int n, int *x) <%
    for (int i = 0; i < n; i++)
        x<:i:> = compl x<:i:> bitand 255;
%>
FORM(cxx_alternative, "digraphs and alternative tokens") { NUMBERS(x); cxx_alternative(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
[[gnu::noinline]] void cxx_range_sum(int n, int *x)
{
    static constexpr int table[] = {1, 10, 100};
    static const std::string_view text = "abc";
    for (int i = 0; i < n; i++)
        x[i] += table[i % 3] + text[1];
}
FORM(cxx_static_constants, "static constants in the body") { NUMBERS(x); cxx_range_sum(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
