// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/task.c %S/Inputs/number.h %t && cd %t
// RUN: echo 'task.c -DWORDS="a b" -o program --streamap-explain' > line.rsp
// RUN: %streamap-cc @line.rsp | FileCheck %s && ./program | FileCheck --check-prefix=RESULT %s
// RUN: echo '-c @more.rsp' > line.rsp && echo 'task.c -o "a task.o"' > more.rsp
// RUN: %streamap-cc @line.rsp && %streamap-cc "a task.o" -o program && ./program | FileCheck --check-prefix=RESULT %s
// RUN: echo '--streamap-nothing' > line.rsp && not %streamap-cc task.c @line.rsp 2>&1 | FileCheck --check-prefix=WRONG %s
// CHECK: set
// RESULT: 42
// WRONG: error: unknown option '--streamap-nothing' [SM1705]
