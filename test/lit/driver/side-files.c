// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files beside the output have the names that a plain compile gives them.
//
// RUN: rm -rf %t && mkdir -p %t/ours/out %t/theirs/out && cp %S/Inputs/task.c %S/Inputs/number.h %t/ours && cp %t/ours/*.? %t/theirs
// RUN: cd %t/ours && %streamap-cc --coverage -c task.c -o out/x.o && %streamap-cc --coverage task.c -o out/program
// RUN: cd %t/theirs && %cc --coverage -c task.c -o out/x.o && %cc --coverage task.c -o out/program
// RUN: cd %t/ours && %streamap-cc --coverage task.c && %streamap-cc --coverage task.c -o task && %streamap-cc -g -gsplit-dwarf -c task.c
// RUN: cd %t/theirs && %cc --coverage task.c && %cc --coverage task.c -o task && %cc -g -gsplit-dwarf -c task.c
// RUN: cd %t/ours && %streamap-cc -save-temps -c task.c && %streamap-cc -fstack-usage -c task.c
// RUN: cd %t/theirs && %cc -save-temps -c task.c && %cc -fstack-usage -c task.c
// RUN: cd %t/ours && ls . out > ../a && cd %t/theirs && ls . out > ../b && diff %t/a %t/b
//
// gcov knows the source by its own name.
// REQUIRES: gcc
// RUN: cd %t/ours && ./task && gcov task.c | FileCheck %s
// CHECK: File 'task.c'
