/* Templates, their specialisations and instantiations.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "../forms.h"

#pragma streamap resource 2:C split(i) inout(x[i])
template <class T>
void cxx_template(int n, T *x)
{
    for (int i = 0; i < n; i++)
        x[i] += static_cast<T>(1.75);
}
FORM(cxx_template, "a template, two instantiations") { NUMBERS(x); double y[SIZE] = {};
    cxx_template(SIZE, x); cxx_template(SIZE, y); cxx_template<double>(1, y);
    #pragma streamap wait
    const int t[] = {static_cast<int>(y[0] * 100), static_cast<int>(y[SIZE - 1] * 100)};
    SHOW(x); SHOW(t); }

#pragma streamap resource (TASKS):C split(i) inout(x[i:WIDTH])
template <int TASKS, int WIDTH = 1>
void cxx_value_template(int n, int *x)
{
    for (int i = 0; i < n; i += WIDTH)
        for (int k = 0; k < WIDTH; k++)
            x[i + k] += TASKS * 100 + k;
}
FORM(cxx_value_template, "values as template parameters, in clauses") { NUMBERS(x);
    cxx_value_template<3>(SIZE, x); cxx_value_template<2, 4>(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:N])
template <std::size_t N, typename T>
static inline void cxx_array_template(T (&x)[N])
{
    for (std::size_t i = 0; i < N; i++)
        x[i] = static_cast<T>(x[i] + N);
}
FORM(cxx_array_template, "T (&)[N]") { NUMBERS(x); int y[3] = {}; cxx_array_template(x); cxx_array_template(y);
    #pragma streamap wait
    SHOW(x); SHOW(y); }

#pragma streamap resource 2:C split(i) inout(x[i])
template <class T>
void cxx_specialised(int n, T *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 1;
}
#pragma streamap resource 3:C split(k) inout(x[k])
template <>
void cxx_specialised<int>(int n, int *x)
{
    for (int k = 0; k < n; k++)
        x[k] -= 1;
}
FORM(cxx_specialised, "an explicit specialisation with a directive of its own") { NUMBERS(x); short y[2] = {1, 2};
    cxx_specialised(SIZE, x); cxx_specialised(2, y);
    #pragma streamap wait
    const int t[] = {y[0], y[1]};
    SHOW(x); SHOW(t); }

#pragma streamap resource 2:C split(i) inout(x[i])
template <class T>
void cxx_instantiated(int n, T *x)
{
    for (int i = 0; i < n; i++)
        x[i] = static_cast<T>(x[i] * 2);
}
template void cxx_instantiated<int>(int, int *);
template void cxx_instantiated(int, unsigned char *);
FORM(cxx_instantiated, "explicit instantiations") { NUMBERS(x); unsigned char y[2] = {100, 200};
    cxx_instantiated(SIZE, x); cxx_instantiated(2, y);
    #pragma streamap wait
    const int t[] = {y[0], y[1]};
    SHOW(x); SHOW(t); }

#pragma streamap resource 2:C split(i) inout(x[i])
template <class T>
void cxx_extern_template(int n, T *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 5;
}
extern template void cxx_extern_template<int>(int, int *);
FORM(cxx_extern_template, "extern template, instantiated below") { NUMBERS(x); cxx_extern_template(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
template void cxx_extern_template<int>(int, int *);

#pragma streamap resource 2:C split(i) inout(x[i])
template <class T>
void cxx_declared_template(int n, T *x);
#pragma streamap resource 2:C split(i) inout(x[i])
template <class T>
void cxx_declared_template(int n, T *x)
{
    for (int i = 0; i < n; i++)
        x[i] ^= 21;
}
FORM(cxx_declared_template, "declared and defined, each with the directive") { NUMBERS(x); cxx_declared_template(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

template <class T>
concept number = std::is_arithmetic_v<T>;

#pragma streamap resource 2:C split(i) inout(x[i])
template <number T>
void cxx_concept(int n, T *x)
{
    for (int i = 0; i < n; i++)
        x[i] += sizeof(T);
}
FORM(cxx_concept, "a concept as the parameter's kind") { NUMBERS(x); cxx_concept(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
template <class T>
    requires number<T> && (sizeof(T) > 1)
void cxx_requires(int n, T *x)
{
    for (int i = 0; i < n; i++)
        x[i] += 9;
}
FORM(cxx_requires, "requires before the head") { NUMBERS(x); cxx_requires(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
template <class T>
void cxx_requires_behind(int n, T *x) noexcept(sizeof(T) == 4)
    requires requires(T a) { a + a; }
{
    for (int i = 0; i < n; i++)
        x[i] += 10;
}
FORM(cxx_requires_behind, "noexcept and requires behind the head") { NUMBERS(x); cxx_requires_behind(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

struct cxx_doubling { int operator()(int a) const { return 2 * a; } };
struct cxx_adding { int by; int operator()(int a) const { return a + by; } };
#pragma streamap resource 2:C split(i) inout(x[i])
template <class Operation>
void cxx_functor(int n, int *x, Operation operation)
{
    for (int i = 0; i < n; i++)
        x[i] = operation(x[i]);
}
FORM(cxx_functor, "functors and lambdas by value") { NUMBERS(x); int by = x[0] * 3;
    cxx_functor(SIZE, x, cxx_doubling{}); cxx_functor(SIZE, x, cxx_adding{7}); cxx_functor(SIZE, x, [by](int a) { return a ^ by; });
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
template <template <class> class Trait, class T>
void cxx_template_template(int n, T *x)
{
    for (int i = 0; i < n; i++)
        if constexpr (Trait<T>::value)
            x[i] += 1;
        else
            x[i] -= 1;
}
FORM(cxx_template_template, "template template parameters and if constexpr") { NUMBERS(x);
    cxx_template_template<std::is_signed>(SIZE / 2, x); cxx_template_template<std::is_unsigned>(SIZE / 2, x + SIZE / 2);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) in(from[i]) out(to[i])
template <class From, class To>
void cxx_span_template(std::span<const From> from, std::span<To> to)
{
    for (std::size_t i = 0; i < to.size(); i++)
        to[i] = static_cast<To>(from[i] / 2);
}
FORM(cxx_span_template, "spans of template types") { NUMBERS(x); const std::vector<float> from(SIZE, 9.0f);
    cxx_span_template<float, int>(from, std::span(x, 5));
    #pragma streamap wait
    SHOW(x); }

template <class T>
struct cxx_tile { static constexpr int rows = 3, columns = sizeof(T); using element = T; };
#pragma streamap resource 2:C split(i) inout(x[i*Tile::columns:Tile::columns])
template <class Tile>
void cxx_dependent_clause(typename Tile::element *x)
{
    for (int i = 0; i < Tile::rows; i++)
        for (int j = 0; j < Tile::columns; j++)
            x[i * Tile::columns + j] += i * 100;
}
FORM(cxx_dependent_clause, "dependent names in clauses and head") { NUMBERS(x); cxx_dependent_clause<cxx_tile<int>>(x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C inout(x[0:N])
template <int N>
void cxx_recursive_template(int *x)
{
    if constexpr (N > 1) {
        cxx_recursive_template<N - 1>(x + 1);
        x[0] += x[1];
    }
}
FORM(cxx_recursive_template, "a template that calls itself") { NUMBERS(x); cxx_recursive_template<6>(x);
    #pragma streamap wait
    SHOW(x); }

FORM(cxx_unused_instantiation, "used as a function pointer alone") { NUMBERS(x); void (*f)(int, long *) = cxx_template<long>; long y[3] = {1, 2, 3};
    f(3, y);
    #pragma streamap wait
    const int t[] = {static_cast<int>(y[0]), static_cast<int>(y[2])};
    SHOW(x); SHOW(t); }
