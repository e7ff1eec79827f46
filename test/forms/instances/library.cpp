// A shared library with the same tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tasks.h"

tasks::shifter *library(std::span<int> x, std::span<double> y)
{
    tasks::scale(0.25, y);
    tasks::scale(7, x);
    tasks::comb<int, 5>::run(static_cast<long>(x.size()), x.data());
    tasks::shift(static_cast<long>(x.size()), 3, x.data());
    tasks::shift_in_one(static_cast<long>(x.size()), x.data());
    return tasks::shift;
}
