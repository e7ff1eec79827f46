// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program can learn of its own text is the same as with the plain compiler, by gcc and by Clang.
//
// RUN: rm -rf %t && mkdir -p %t/src && cp %s %t/src && cp %S/Inputs/header.h %t/src && cd %t
// RUN: %cc src/values.c -o plain && ./plain > expected
// RUN: env STREAMAP_HOST_CC=%cc %streamap-cc src/values.c -o ours && ./ours | diff expected -
// RUN: env STREAMAP_HOST_CC=%cc %streamap-cc -O2 -g -c src/values.c && env STREAMAP_HOST_CC=%cc %streamap-cc values.o -o ours && ./ours | diff expected -
// RUN: env STREAMAP_HOST_CC=%cc %streamap-cc -E src/values.c > values.i && %streamap-cc values.i -o ours && ./ours | diff expected -
// RUN: %if clang %{ env STREAMAP_HOST_CC=%clang %streamap-cc src/values.c -o ours && ./ours > got && %clang -w src/values.c -o plain && ./plain | diff got - %}
#include "header.h"
#include <stdio.h>

static void show(const char *file, int line, const char *function) { printf("%s:%d: %s\n", file, line, function); }
#define SHOW() show(__FILE__, __LINE__, __func__)

#pragma streamap resource 1:C inout(x[0:1])
void add_one(int *x) {
  SHOW();
  *x += __LINE__;
  printf("%s %s\n", __FUNCTION__, __extension__ __PRETTY_FUNCTION__);
}

#pragma streamap resource \
  1:C \
  split(i) \
  inout(x[i])
void
add_many(int n,
         int *x)
{ SHOW();
  for (int i = 0; i < n; i++)
    x[i] += __LINE__; } static int behind = __LINE__;

int main(void) {
  int x[4] = {0};
  SHOW();
  add_one(x); int after = __LINE__;
#pragma streamap wait
  SHOW();
  header_task(x);
#pragma streamap wait on(x[0:4])
  for (int k = 0; k < 2; k++)
#pragma streamap resource 1:C
    add_one(&x[1]); /* the call alone is the body of the loop */
#pragma streamap wait
  SHOW();
  add_many(4, x);
#pragma streamap wait
  printf("%s %d %d %d %d %d\n", __BASE_FILE__, x[0], x[1], after, behind, __LINE__);
  return 0;
}
