// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template holds everything in its body, an ordinary function has it around; a call has a class of its own.
//
// REQUIRES: g++
// RUN: mkdir -p %t && env STREAMAP_HOST_CXX=%gxx %streamap-cxx -std=c++17 -Wall -Wextra -Werror --streamap-emit-source -c %s -o %t/within.o
// RUN: grep -v "^// " %t/within.streamap.cpp | FileCheck %s

namespace field {
#pragma streamap resource (N):C split(i) inout(x[i])
template <class T, int N> void scale(int n, T *x, const T &by = T(2)) {
  // CHECK: static __thread int streamap_direct_task;
  // CHECK: struct streamap_here {
  // CHECK: typedef void streamap_type_task(int n, T *x, const T &by);
  // CHECK: typename streamap_pass<streamap_at<1, streamap_type_task> >::streamap_stored streamap_value_x;
  // CHECK: static_cast<streamap_type_task *>(::field::scale<T, N>)
  // CHECK: {67, 0, (streamap_int)(N), {{[0-9]+}}}
  // CHECK: streamap_keep(&streamap_registered<streamap_here>::streamap_once);
  // CHECK: STREAMAP_ENTER_SPLIT(streamap_here::streamap_enter_task(n, x, by, &streamap_entered));
  for (int i = 0; i < n; i++)
    x[i] *= by;
}

#pragma streamap resource 2:C split(i) inout(x[i])
void shift(int n, double *x);
}

// CHECK: namespace field {
// CHECK: extern "C" { extern __attribute__((visibility("default"))) const streamap_task streamap_task__ZN5field5shiftEiPd; }
// CHECK: static int streamap_enter__ZN5field5shiftEiPd(int n, double *x, streamap_entry *streamap_entry_);
void field::shift(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[i] += 1;
}

void call(double *x, int k) {
  field::scale<double, 3>(4, x);
  // CHECK: __extension__ ({
  // CHECK: enum : long { N = 4 };
  // CHECK: (const streamap_task *)&streamap_described<streamap_type_call, field::scale<double, 4>>::streamap_task_of
  // CHECK: streamap_here(); })
  // CHECK-NEXT: (k,
#pragma streamap resource (k):C
  field::scale<double, 4>(4, x, 3.0);
#pragma streamap wait
}
// CHECK: static const streamap_task *const streamap_tasks[] = { &::field::streamap_task__ZN5field5shiftEiPd, };
