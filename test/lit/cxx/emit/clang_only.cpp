// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only Clang finds wrong, outside of tasks, stops no build; in a task it does. What both find is told by the host compiler.
//
// NONE-NOT: {{.}}
// REQUIRES: g++
// RUN: mkdir -p %t && env STREAMAP_HOST_CXX=%gxx %streamap-cxx -std=c++17 -c %s -o %t/o.o 2>&1 | FileCheck --allow-empty --check-prefix=NONE %s
// RUN: env STREAMAP_HOST_CXX=%gxx not %streamap-cxx -std=c++17 -DIN_TASK -c %s -o %t/o.o 2>&1 | FileCheck --check-prefix=TASK %s
// RUN: env STREAMAP_HOST_CXX=%gxx not %streamap-cxx -std=c++17 -DBOTH -c %s -o %t/o.o 2>&1 | FileCheck --check-prefix=BOTH %s
#include <list>


#pragma streamap resource 2:C split(i) inout(x[i])
void add(int n, int *x) {
#ifdef IN_TASK
// TASK: clang_only.cpp:[[#@LINE+1]]:13: error:
#pragma omp frobnicate
  ;
#pragma omp for
  for (auto at = x; at + n != x; at = at + n * n)
    ;
#endif
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

int main() {
  int x[4] = {1, 2, 3, 4};
  std::list<int> list;
#pragma omp for
  for (auto at = list.begin(); at != list.end(); ++at)
    *at = 0;
#ifdef BOTH
  // BOTH: clang_only.cpp:[[#@LINE+2]]:3: error: 'missing' was not declared in this scope
  // BOTH-NOT: SM1
  missing(x);
#endif
  add(4, x);
#pragma streamap wait
}
