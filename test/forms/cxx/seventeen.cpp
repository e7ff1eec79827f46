/* The same in C++17; std: gnu++17
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <algorithm>
#include <iterator>

#include "../forms.h"

static_assert(__cplusplus == 201703L, "what this file is about");

namespace a::b {
#pragma streamap resource 2:C split(i) inout(x[i])
template <typename T, auto By>
[[gnu::noinline]] void cxx17_template(int n, T *x)
{
    for (int i = 0; i < n; i++)
        x[i] = static_cast<T>(x[i] + By);
}
}
FORM(cxx17_template, "C++17: auto template parameters") { NUMBERS(x); a::b::cxx17_template<int, 5>(SIZE, x); a::b::cxx17_template<int, 'a'>(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 1:C
void cxx17_reference(int (&x)[SIZE], int &most)
{
    if (const auto found = std::max_element(std::begin(x), std::end(x)); found != std::end(x))
        most = *found;
    std::sort(std::begin(x), std::end(x));
}
FORM(cxx17_reference, "C++17: references to an array and a number") { NUMBERS(x); int most = 0; cxx17_reference(x, most);
    #pragma streamap wait
    const int t[] = {most};
    SHOW(x); SHOW(t); }

struct cxx17_tools {
    #pragma streamap resource 2:C split(i) inout(x[i])
    inline static auto go(int n, int *x) noexcept -> void
    {
        for (int i = 0; i < n; i++)
            x[i] += step;
    }
    inline static const int step = 6;
};
FORM(cxx17_static_member, "C++17: a static member with an inline constant") { NUMBERS(x); cxx17_tools::go(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
