// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A header that defines a task is written out where it is included, once, and lines stay what they are.
// RUN: rm -rf %t && mkdir -p %t && cp -r %s %S/Inputs %t && cd %t
// RUN: %cc -w -I%include header.c -o plain && ./plain > plain.out
// RUN: %streamap-cc -Wall -Wextra -Werror --streamap-emit-source header.c -o ours && ./ours > ours.out && diff plain.out ours.out
// RUN: grep -v "^// " header.streamap.c | FileCheck %s --match-full-lines
#include "Inputs/tasks.h"
#include "Inputs/again.h"
#include <stdio.h>

// CHECK: # 1 "Inputs/tasks.h" 1
// CHECK-NOT: #pragma once
// CHECK: # 1 "Inputs/shape.h" 1
// CHECK-NOT: #include "tasks.h"
// CHECK: # 5 "Inputs/tasks.h" 2
// CHECK-NEXT: {{^                   /\* its own}}
// CHECK-NEXT: {{^ *neighbour \*/}}
// CHECK: # 1 "Inputs/again.h" 1
// CHECK-NOT: #include "tasks.h"
// CHECK: # 9 "header.c" 2

int main(void)
{
    double v[4] = {1, 2, 3, 4};
    scale(4, v);
    twice(4, v);
    #pragma streamap wait
    printf("%g %g %d %s %d\n", v[0], v[3], line_in_header(), file_of_header(), __LINE__);
    return 0;
}
