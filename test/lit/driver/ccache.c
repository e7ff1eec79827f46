// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cache of objects in front of the tool sees what the tool makes.
//
// REQUIRES: ccache
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/task.c %S/Inputs/number.h %t && cd %t
// RUN: env CCACHE_DIR=%t/cache CCACHE_NODIRECT=1 ccache %tool -c task.c -o a.o
// RUN: env CCACHE_DIR=%t/cache CCACHE_NODIRECT=1 ccache %tool -c task.c -o b.o && cmp a.o b.o
// RUN: env CCACHE_DIR=%t/cache ccache -s | FileCheck %s
// RUN: env CCACHE_DIR=%t/cache CCACHE_NODIRECT=1 ccache %tool -DURGENCY=2 -c task.c -o c.o
// RUN: %streamap-cc -DURGENCY=2 -c task.c -o d.o && cmp c.o d.o
// RUN: env CCACHE_DIR=%t/cache ccache -s | FileCheck --check-prefix=LATER %s
// RUN: %streamap-cc b.o -o p && ./p | FileCheck --check-prefix=RESULT %s
// CHECK: Misses: {{ *}}1
// LATER: Misses: {{ *}}2
// RESULT: 42
