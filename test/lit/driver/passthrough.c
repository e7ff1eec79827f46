// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source without a directive is compiled as if the tool were not there.
//
// RUN: rm -rf %t && mkdir -p %t/ours %t/theirs
// RUN: cp %S/Inputs/plain.c %t/ours && cp %S/Inputs/plain.c %t/theirs
// RUN: cd %t/ours && %streamap-cc -O2 -g -c plain.c && cd %t/theirs && %cc -O2 -g -ffile-prefix-map=%t/theirs=%t/ours -c plain.c
// RUN: cmp %t/ours/plain.o %t/theirs/plain.o
// RUN: %streamap-cc -S %S/Inputs/plain.c -o %t/a.s && %cc -S %S/Inputs/plain.c -o %t/b.s && cmp %t/a.s %t/b.s
// RUN: %streamap-cc -E %S/Inputs/plain.c > %t/a.i && %cc -E %S/Inputs/plain.c > %t/b.i && cmp %t/a.i %t/b.i
// RUN: %streamap-cc -MM %S/Inputs/plain.c > %t/a.d && %cc -MM %S/Inputs/plain.c > %t/b.d && cmp %t/a.d %t/b.d
//
// The word alone, in a comment or under a false #if, is no directive.
// RUN: %streamap-cc -c %s -o %t/a.o && %cc -c %s -o %t/b.o && cmp %t/a.o %t/b.o
//
// Questions are the host compiler's.
// RUN: %streamap-cc --version > %t/a && %cc --version > %t/b && cmp %t/a %t/b
// RUN: %streamap-cc -dumpmachine > %t/a && %cc -dumpmachine > %t/b && cmp %t/a %t/b
// RUN: %streamap-cc -print-search-dirs > %t/a && %cc -print-search-dirs > %t/b && cmp %t/a %t/b
// RUN: not %streamap-cc > %t/a 2>&1 && not %cc > %t/b 2>&1 && cmp %t/a %t/b
// RUN: not %streamap-cc -c %t/none.c > %t/a 2>&1 && not %cc -c %t/none.c > %t/b 2>&1 && cmp %t/a %t/b
// RUN: not %streamap-cc -c @%t/none.rsp > %t/a 2>&1 && not %cc -c @%t/none.rsp > %t/b 2>&1 && cmp %t/a %t/b
//
// Nothing is linked that is not needed.
// RUN: %streamap-cc -DMAIN %S/Inputs/plain.c -lm -o %t/program && %t/program | FileCheck --check-prefix=RUN-OUT %s
// RUN: readelf -d %t/program | FileCheck --check-prefix=DYNAMIC %s
// RUN: %streamap-cc -DMAIN -c %S/Inputs/plain.c -o %t/o.o && %streamap-cc %t/o.o -o %t/program && readelf -d %t/program | FileCheck --check-prefix=DYNAMIC %s
//
// RUN-OUT: 1
// DYNAMIC: libc.so
// DYNAMIC-NOT: streamap
#if 0
#pragma streamap resource 1:C
#endif
int nothing;
