// Three files and a library that share tasks; prints what they came to.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <vector>

#include "tasks.h"

int main()
{
    std::vector<int> x(40);
    std::vector<double> y(25);
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<int>(i * 13 % 31);
    for (std::size_t i = 0; i < y.size(); i++)
        y[i] = static_cast<double>(i) / 8;
    tasks::shifter *places[] = {first(x, y), second(x, y), library(x, y), tasks::shift};
    tasks::scale(2, std::span(x));
    #pragma streamap wait
    for (int value : x)
        std::printf("%d ", value);
    for (double value : y)
        std::printf("%g ", value);
    std::printf("\n%d %d %d\n", places[0] == places[3], places[1] == places[3], places[2] == places[3]);
    return 0;
}
