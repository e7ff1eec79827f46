// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dependence files of a rewritten source are those of the source itself.
//
// RUN: rm -rf %t && mkdir -p %t/out && cp %S/Inputs/task.c %S/Inputs/number.h %t && cd %t
// RUN: %streamap-cc -MM task.c > a && %cc -MM task.c > b && cmp a b
// RUN: %streamap-cc -MMD -c task.c && mv task.d a && %cc -MMD -c task.c && cmp a task.d
// RUN: %streamap-cc -MMD -c task.c -o out/task.o && mv out/task.d a && %cc -MMD -c task.c -o out/task.o && cmp a out/task.d
// RUN: %streamap-cc -MMD -MP -MF a -MT "x y" -MQ z -c task.c && %cc -MMD -MP -MF b -MT "x y" -MQ z -c task.c && cmp a b
// RUN: %streamap-cc -Wp,-MMD,a -c task.c && %cc -Wp,-MMD,b -c task.c && cmp a b
// RUN: %streamap-cc -Wp,-MMD,a,-MT,t -c task.c && %cc -Wp,-MMD,b,-MT,t -c task.c && cmp a b
// RUN: %streamap-cc -MMD task.c -o program && mv program.d a && %cc -MMD task.c -o program && cmp a program.d
// RUN: %streamap-cc -S -MMD task.c && mv task.d a && %cc -S -MMD task.c && cmp a task.d
// RUN: %streamap-cc -E -MMD -MF a task.c -o task.i && %cc -E -MMD -MF b task.c -o task.i && cmp a b
// RUN: %streamap-cc -MD -MF a -c task.c && FileCheck %s < a
// CHECK: task.o: task.c
// CHECK: number.h
// CHECK: stdio.h
