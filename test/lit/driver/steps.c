// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each last step of a source with a directive.
//
// RUN: rm -rf %t && mkdir -p %t/in/sub && cp %S/Inputs/task.c %S/Inputs/number.h %t/in && cp %S/Inputs/plain.c %t/in/sub && cd %t/in
// RUN: %streamap-cc task.c && ./a.out | FileCheck %s
// RUN: %streamap-cc -c task.c && %streamap-cc task.o -o program && ./program | FileCheck %s
// RUN: %streamap-cc -S task.c && %streamap-cc task.s -o program && ./program | FileCheck %s
// RUN: %streamap-cc -S task.c -o - | FileCheck --check-prefix=ASM %s
// RUN: %streamap-cc -fsyntax-only task.c && not ls task.i
//
// -E prints the text that would be compiled, under the user's name.
// RUN: %streamap-cc -E task.c -o task.i && FileCheck --check-prefix=TEXT %s < task.i
// RUN: %streamap-cc -E task.c > again.i && cmp task.i again.i
// RUN: %streamap-cc task.i -o program && ./program | FileCheck %s
// RUN: %streamap-cc -E -dM task.c | FileCheck --check-prefix=MACROS %s
//
// A macro that only a directive uses changes it: caches of objects depend on that.
// RUN: %streamap-cc -E -DURGENCY=2 task.c -o other.i && not cmp -s task.i other.i
//
// From the standard input, and under another name.
// RUN: %streamap-cc -x c - -o program < task.c && ./program | FileCheck %s
// RUN: cp task.c task.txt && %streamap-cc -x c task.txt -o program && ./program | FileCheck %s
// RUN: %streamap-cc -x c task.txt -x none -DNO_MAIN -c -o task.o && nm task.o | FileCheck --check-prefix=SYMBOLS %s
//
// Several inputs: outputs as a plain compile names them.
// RUN: rm -f *.o && %streamap-cc -c task.c sub/plain.c && ls task.o plain.o
// RUN: not %streamap-cc -c task.c sub/plain.c -o both.o 2>&1 | FileCheck --check-prefix=BOTH %s
// RUN: %streamap-cc task.c sub/plain.c -o program && ./program | FileCheck %s
// RUN: %streamap-cc task.c plain.o -o program && ./program | FileCheck %s
//
// CHECK: {{^}}42{{$}}
// ASM: .file{{.*}}"task.c"
// TEXT: # {{[01]}} "task.c"
// TEXT-NOT: #pragma streamap
// TEXT-NOT: streamap.c"
// MACROS-DAG: #define NUMBER 41 + 1
// MACROS-DAG: #define __STREAMAP__ 1
// SYMBOLS: streamap_register
// BOTH: cannot specify
