// One of three files with the same tasks; the only one that scales floats.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tasks.h"

tasks::shifter *first(std::span<int> x, std::span<double> y)
{
    float z[3] = {1, 2, 3};
    tasks::shift(static_cast<long>(x.size()), 1, x.data());
    tasks::scale(3, x);
    tasks::scale(0.5, y);
    tasks::scale<float>(2, z);
    tasks::comb<int, 2>::run(static_cast<long>(x.size()), x.data());
    #pragma streamap wait on(z[0:3])
    tasks::shift_in_one(static_cast<long>(x.size()), x.data());
    return z[2] == 6 ? tasks::shift : nullptr;
}
