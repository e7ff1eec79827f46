/* What a C++ parameter list may look like.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "../forms.h"

#pragma streamap resource 2:C split(i) in(x[i]) reduction(+: sum)
void cxx_reference(int n, const int *x, int &sum)
{
    for (int i = 0; i < n; i++)
        sum += x[i];
}
FORM(cxx_reference, "T & is one element") { NUMBERS(x); cxx_reference(SIZE - 1, x, x[SIZE - 1]);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C
void cxx_reference_alone(int &x)
{
    x += 77;
}
FORM(cxx_reference_alone, "T & without a clause") { NUMBERS(x); cxx_reference_alone(x[3]); cxx_reference_alone(x[4]);
    #pragma streamap wait
    SHOW(x); }

struct shift { int base; double weight[2]; };
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_const_reference(int n, const shift &by, const int &times, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] * times + by.base + static_cast<int>(by.weight[1]);
}
FORM(cxx_const_reference, "const T & is copied at the call") { NUMBERS(x); { shift by{3, {0, 4.5}}; int times = 2; cxx_const_reference(SIZE, by, times, x); by.base = times = 1000; }
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_const_reference_temporary(int n, const std::complex<double> &z, const std::array<int, 3> &a, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += static_cast<int>(z.imag()) + a[2];
}
FORM(cxx_const_reference_temporary, "const T & to a temporary") { NUMBERS(x); cxx_const_reference_temporary(SIZE, {1, 8}, {{1, 2, 30}}, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C
void cxx_span(std::span<int> x)
{
    for (int &value : x)
        value = 3 * value + 1;
}
FORM(cxx_span, "std::span<int>") { NUMBERS(x); cxx_span(x); cxx_span(std::span<int>(x).subspan(2, 3));
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 3:C split(i) in(from[i]) out(x[i])
void cxx_span_split(std::span<const int> from, std::span<int> x)
{
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = from[i] * 5;
}
FORM(cxx_span_split, "std::span<const int> with split") { NUMBERS(x); NUMBERS(y); cxx_span_split(y, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C
void cxx_span_fixed(std::span<int, 4> x)
{
    x.front() = x.back() + 6;
}
FORM(cxx_span_fixed, "std::span<int, N>") { NUMBERS(x); cxx_span_fixed(std::span<int, 4>(x + 5, 4));
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) in(from[i]) inout(x[i])
void cxx_span_vector(std::span<const double> from, int *x)
{
    for (int i = 0; i < static_cast<int>(from.size()); i++)
        x[i] += static_cast<int>(from[i]);
}
FORM(cxx_span_vector, "std::span of a vector") { NUMBERS(x); std::vector<double> from(SIZE, 2.5); cxx_span_vector(from, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C
void cxx_array_reference(int (&x)[SIZE])
{
    for (int i = 0; i < SIZE; i++)
        x[i] -= i;
}
FORM(cxx_array_reference, "int (&x)[N]") { NUMBERS(x); cxx_array_reference(x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) out(x[i])
void cxx_const_array_reference(const int (&from)[SIZE], int *x)
{
    for (int i = 0; i < SIZE; i++)
        x[i] = from[SIZE - 1 - i];
}
FORM(cxx_const_array_reference, "const int (&x)[N]") { NUMBERS(x); NUMBERS(y); cxx_const_array_reference(y, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C
void cxx_sized_array(int x[12], const double y[2])
{
    for (int i = 0; i < 12; i++)
        x[i] += static_cast<int>(y[i % 2]);
}
FORM(cxx_sized_array, "int x[12] and const double y[2]") { NUMBERS(x); const double y[2] = {1.5, 70}; cxx_sized_array(x, y);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(a[i][0:4])
void cxx_rows(int n, int (*a)[4])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] += 10 * i + j;
}
FORM(cxx_rows, "int (*a)[4]") { NUMBERS(x); cxx_rows(3, reinterpret_cast<int(*)[4]>(x));
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_unnamed(int n, int *x, long, double = 1)
{
    for (int i = 0; i < n; i++)
        x[i] += 63;
}
FORM(cxx_unnamed, "unnamed parameters") { NUMBERS(x); cxx_unnamed(SIZE, x, 5);
    #pragma streamap wait
    SHOW(x); }

enum class way : signed char { up = 1, down = -1 };
class money {
public:
    explicit money(long cents) : cents_(cents) {}
    long cents() const { return cents_; }
private:
    long cents_;
};
struct base { int low = 4; };
struct derived : base { int high = 6; };
#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_values(int n, way w, bool b, wchar_t c, std::nullptr_t, money m, derived d, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] * static_cast<int>(w) + b + static_cast<int>(c) + static_cast<int>(m.cents()) + d.low * d.high;
}
FORM(cxx_values, "scoped enums, bool, wchar_t, nullptr_t and classes by value") { NUMBERS(x); cxx_values(SIZE, way::down, true, L'a', nullptr, money(250), derived{}, x);
    #pragma streamap wait
    SHOW(x); }

struct point {
    int a, b;
    constexpr int sum() const { return a + b; }
    friend bool operator==(const point &, const point &) = default;
};
#pragma streamap resource 2:C split(i) in(p[i]) inout(x[i])
void cxx_elements(int n, const point *p, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] += p[i] == point{1, 1} ? 1000 : p[i].sum();
}
FORM(cxx_elements, "a class with member functions as elements") { NUMBERS(x); const point p[] = {{1, 2}, {1, 1}, {30, 40}}; cxx_elements(3, p, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void cxx_decltype(int n, decltype(SIZE + 1L) by, std::add_pointer_t<int> x)
{
    for (auto i = 0; i < n; i++)
        x[i] += static_cast<int>(by);
}
FORM(cxx_decltype, "decltype and auto in the head") { NUMBERS(x); cxx_decltype(SIZE, 9, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) in(from[i]) out(x[i])
void cxx_restrict(const int n, const int *const __restrict from, int *const __restrict x)
{
    for (int i = 0; i < n; i++)
        x[i] = ~from[i];
}
FORM(cxx_restrict, "__restrict and const pointers") { NUMBERS(x); NUMBERS(y); cxx_restrict(SIZE, y, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(inout) inout(out[inout])
void cxx_grammar_words(int C, int in, int *out)
{
    for (int inout = 0; inout < C; inout++)
        out[inout] += in;
}
FORM(cxx_grammar_words, "parameters named like clauses") { NUMBERS(x); cxx_grammar_words(SIZE, 8, x);
    #pragma streamap wait
    SHOW(x); }

FORM(cxx_containers, "wait on containers, whole and in part") { NUMBERS(x);
    std::vector<int> v(x, x + SIZE);
    std::array<int, 3> a{1, 2, 3};
    for (int k = 0; k < 3; k++) {
        cxx_span(v);
        cxx_span(a);
        #pragma streamap wait on(v[k:2], a)
        x[k] = v[static_cast<std::size_t>(k)] + a[0];
    }
    #pragma streamap wait on(v)
    x[3] = v.back();
    cxx_span(v);
    #pragma streamap discard(v)
    SHOW(x); }
