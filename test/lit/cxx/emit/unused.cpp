// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter that the body does not use is told as by the plain compiler, though generated code uses it.
//
// NONE-NOT: {{.}}
// REQUIRES: g++
// RUN: mkdir -p %t && env STREAMAP_HOST_CXX=%gxx %streamap-cxx -Wall -Wextra -c %s -o %t/o.o 2>&1 | FileCheck %s
// RUN: env STREAMAP_HOST_CXX=%gxx %streamap-cxx -Wall -c %s -o %t/o.o 2>&1 | FileCheck --allow-empty --check-prefix=NONE %s

// CHECK: unused.cpp:[[#@LINE+2]]:43: warning: unused parameter 'spare' [-Wunused-parameter]
#pragma streamap resource 1:C inout(x[0:n])
void ordinary(int n, int *x, const double spare, [[maybe_unused]] int quiet) {
  x[n - 1] = 0;
}

// CHECK-NOT: warning
// CHECK: unused.cpp:[[#@LINE+2]]:52: warning: unused parameter 'spare' [-Wunused-parameter]
#pragma streamap resource 1:C inout(x[0:n])
template <class T> void generic(int n, T *x, float spare) {
  x[n - 1] = 0;
}

// CHECK-NOT: warning
void call(int *x) {
  generic(1, x, 0.f);
}
