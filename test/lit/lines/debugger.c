// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breakpoints on a task's name and on lines of its body stop in the body, where its parameters have their values.
//
// REQUIRES: gdb
// RUN: rm -rf %t && mkdir -p %t && cp %s %t && cd %t
// RUN: env STREAMAP_HOST_CC=%cc %streamap-cc -g debugger.c -o program
// RUN: gdb -q -nx -batch -x %S/Inputs/breakpoints.gdb ./program >gdb.out 2>&1 || echo "gdb: exit code 1" >>gdb.out
// RUN: FileCheck %s --input-file=gdb.out
// RUN: %if clang %{ env STREAMAP_HOST_CC=%clang %streamap-cc -g debugger.c -o program %}
// RUN: %if clang %{ gdb -q -nx -batch -x %S/Inputs/breakpoints.gdb ./program >gdb.out 2>&1 || echo "gdb: exit code 1" >>gdb.out %}
// RUN: %if clang %{ FileCheck %s --input-file=gdb.out %}
//
// gdb's exit code is not looked at: gdb 13 at times ends with 1 when a thread goes while the program exits, with all of this printed.
//
// CHECK: BY LINE
// CHECK: Breakpoint {{[0-9]+}}, add_to_it (x={{.*}}, n=41) at debugger.c:[[#@LINE+11]]
// CHECK: BY NAME
// CHECK: in main () at debugger.c:[[#@LINE+14]]
// CHECK: Breakpoint {{[0-9]+}}, add_to_it (x={{.*}}, n=41) at debugger.c:[[#@LINE+7]]
// CHECK: streamap_body_add_to_it
// CHECK: LISTED
// CHECK: *x = n;
// CHECK: 42
#include <stdio.h>
#pragma streamap resource 1:C inout(x[0:1])
void add_to_it(int *x, int n) {
  n += 1;
  *x = n;
}
int main(void) {
  int x = 0;
  add_to_it(&x, 41);
#pragma streamap wait
  printf("%d\n", x);
  return 0;
}
