/* Static member functions, and calls out of classes and lambdas.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <functional>
#include <utility>
#include <vector>

#include "../forms.h"

struct tools {
    #pragma streamap resource 2:C split(i) inout(x[i])
    static void inside(int n, int *x)
    {
        for (int i = 0; i < n; i++)
            x[i] += later;
    }
    #pragma streamap resource 2:C split(i) inout(x[i])
    static void outside(int n, int *x);
    static constexpr int later = 41;
};
FORM(cxx_static_member, "a static member function") { NUMBERS(x); tools::inside(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
void tools::outside(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] -= later;
}
FORM(cxx_member_outside, "a static member function, defined outside the class") { NUMBERS(x); tools t; t.outside(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

class secret {
    static constexpr int key = 17;
    struct note { int value; };
    #pragma streamap resource (tasks):C split(i) inout(x[i])
    static void hide(int n, note by, int *x)
    {
        for (int i = 0; i < n; i++)
            x[i] ^= key + by.value;
    }
    static constexpr int tasks = 3;
public:
    static void use(int n, int *x) { hide(n, note{4}, x); }
};
FORM(cxx_private_member, "a private one, with private names in head and clauses") { NUMBERS(x); secret::use(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

template <class T, int Step>
class stepper {
public:
    #pragma streamap resource 2:C split(i) inout(x[i])
    static void go(int n, T *x)
    {
        for (int i = 0; i < n; i += Step)
            x[i] += Step * 100;
    }
    #pragma streamap resource 2:C split(i) inout(x[i])
    template <class U>
    static void scale(int n, T *x, U by)
    {
        for (int i = 0; i < n; i++)
            x[i] = static_cast<T>(x[i] * by);
    }
    struct inner {
        #pragma streamap resource 1:C inout(x[0:n])
        static void turn(int n, T *x)
        {
            for (int i = 0; i < n / 2; i++)
                std::swap(x[i], x[n - 1 - i]);
        }
    };
};
FORM(cxx_member_of_template, "a static member of a class template") { NUMBERS(x); stepper<int, 2>::go(SIZE, x); stepper<int, 5>::go(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
FORM(cxx_member_template, "a static member template of a class template") { NUMBERS(x); stepper<int, 2>::scale(SIZE, x, 1.5); stepper<int, 2>::scale(SIZE, x, 2);
    #pragma streamap wait
    SHOW(x); }
FORM(cxx_member_of_inner, "a static member of a nested class") { NUMBERS(x); stepper<int, 1>::inner::turn(SIZE, x);
    #pragma streamap wait
    SHOW(x); }

#pragma streamap resource 2:C split(i) inout(x[i])
static void cxx_work(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = 3 * x[i] - 1;
}
class field {
public:
    explicit field(int n) : values_(n), size_((start(), n)) { cxx_work(n, values_.data()); }
    ~field() { cxx_work(1, values_.data()); finish(); }
    field &operator*=(int n) { cxx_work(n, values_.data()); return *this; }
    const std::vector<int> &values() { finish(); return values_; }
private:
    void start() { for (std::size_t i = 0; i < values_.size(); i++) values_[i] = static_cast<int>(i); }
    void finish()
    {
        int *values = values_.data();
        #pragma streamap wait on(values[0:size_])
        form_show(1, values);
    }
    std::vector<int> values_;
    int size_;
};
FORM(cxx_called_by_members, "called by constructor, operator and destructor") { NUMBERS(x); { field f(SIZE); f *= 5; for (int k = 0; k < SIZE; k++) x[k] = f.values()[k]; }
    SHOW(x); }

FORM(cxx_called_by_lambda, "called by lambdas") { NUMBERS(x);
    auto call = [&x](int n) { cxx_work(n, x); };
    auto generic = [](auto f, auto... rest) { f(rest...); };
    call(SIZE); generic(cxx_work, SIZE, x); [&] { cxx_work(2, x);
        #pragma streamap wait
        x[0]++; }();
    SHOW(x); }

FORM(cxx_called_everywhere, "called through templates, pointers, std::function and ?:") { NUMBERS(x);
    std::function<void(int, int *)> f = cxx_work; f(SIZE, x);
    const std::pair<const char *, void (*)(int, int *)> table[] = {{"work", cxx_work}, {"inside", tools::inside}};
    for (const auto &[name, each] : table)
        each(SIZE - 1, x);
    SIZE > 3 ? cxx_work(SIZE, x) : tools::inside(SIZE, x);
    if (int n = SIZE / 2; n > 2)
        cxx_work(n, x), (void)n;
    int one = 1;
    switch (one) case 1: cxx_work(1, x);
    #pragma streamap wait
    SHOW(x); }

FORM(cxx_call_directive, "a directive at a call, in a loop and in a lambda") { NUMBERS(x);
    for (int k = 1; k < 3; k++) {
        #pragma streamap resource (k):C priority(k)
        cxx_work(SIZE, x);
    }
    auto call = [&](int tasks) {
        (void)tasks;
        #pragma streamap resource (tasks):C
        tools::inside(SIZE, x);
    };
    call(4);
    #pragma streamap wait
    SHOW(x); }

FORM(cxx_local_class, "a static member of a local class") { NUMBERS(x);
    struct local {
        #pragma streamap resource 2:C split(i) inout(x[i])
        static void go(int n, int *x)
        {
            for (int i = 0; i < n; i++)
                x[i] += 8;
        }
    };
    local::go(SIZE, x);
    #pragma streamap wait
    SHOW(x); }
