// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breakpoints on lines of a template's body, and on a function's name, stop in the body, where parameters have their values.
//
// REQUIRES: gdb, g++
// RUN: rm -rf %t && mkdir -p %t && cp %s %t && cd %t
// RUN: env STREAMAP_HOST_CXX=%gxx %streamap-cxx -std=c++20 -g debugger.cpp -o program
// RUN: gdb -q -nx -batch -x %S/Inputs/breakpoints.gdb ./program 2>&1 | FileCheck %s
// RUN: %if clang++ %{ env STREAMAP_HOST_CXX=%clangxx %streamap-cxx -std=c++20 -g debugger.cpp -o program %}
// RUN: %if clang++ %{ gdb -q -nx -batch -x %S/Inputs/breakpoints.gdb ./program 2>&1 | FileCheck %s %}
//
// CHECK: BY LINE
// CHECK: Breakpoint {{[0-9]+}}, deep::add_to_all<int> ({{.*}}by={{.*}}) at debugger.cpp:[[#@LINE+14]]
// CHECK: $1 = 40
// CHECK: $2 = 3
// CHECK: BY NAME
// CHECK: in main () at debugger.cpp:[[#@LINE+21]]
// CHECK: Breakpoint {{[0-9]+}}, deep::twice (x={{.*}}) at debugger.cpp:[[#@LINE+13]]{{$}}
// CHECK: 86 43 41
#include <cstdio>
#include <span>
namespace deep {
#pragma streamap resource 1:C inout(x)
template <class T>
void add_to_all(std::span<T> x, const T &by) {
  T last = by + 37;
  for (T &value : x)
    value += last;
}
#pragma streamap resource 1:C inout(x)
auto twice(int &x) noexcept -> void {
  x *= 2;
}
}
int main() {
  int x[3] = {3, 3, 1};
  deep::add_to_all<int>(x, 3);
  deep::twice(x[0]);
#pragma streamap wait
  std::printf("%d %d %d\n", x[0], x[1], x[2]);
  return 0;
}
