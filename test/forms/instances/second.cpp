// The second of three files with the same tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tasks.h"

tasks::shifter *second(std::span<int> x, std::span<double> y)
{
    tasks::scale(5, x);
    tasks::comb<double, 3>::run(static_cast<long>(y.size()), y.data());
    tasks::comb<int, 2>::run(static_cast<long>(x.size()), x.data());
    tasks::shift(static_cast<long>(x.size()), 2, x.data());
    return tasks::shift;
}
