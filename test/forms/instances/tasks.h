// Tasks that several files and a shared library have: inline functions, templates, members.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TASKS_H
#define TASKS_H

#include <cstddef>
#include <span>
#include <streamap/streamap.h>

namespace tasks {

#pragma streamap resource 2:C split(i) inout(x[i])
inline void shift(long n, int by, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] += by;
}

#pragma streamap resource 3:C split(i) inout(x[i])
template <class T>
void scale(T by, std::span<T> x)
{
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<T>(x[i] * by);
}

template <class T, int Step>
struct comb {
    #pragma streamap resource 2:C split(i) inout(x[i])
    static void run(long n, T *x)
    {
        for (long i = 0; i < n; i += Step)
            x[i] -= Step;
    }
};

// A call with a directive of its own, in a header.
inline void shift_in_one(long n, int *x)
{
    #pragma streamap resource 1:C
    shift(n, 7, x);
}

using shifter = void(long, int, int *);

} // namespace tasks

// Each does something with x and y, with the tasks above, and returns where its shift() is.
tasks::shifter *first(std::span<int> x, std::span<double> y);
tasks::shifter *second(std::span<int> x, std::span<double> y);
tasks::shifter *library(std::span<int> x, std::span<double> y);

#endif
