// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime is linked where tasks are, whichever way they come into the link.
//
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/task.c %S/Inputs/number.h %S/Inputs/plain.c %t && cd %t
// RUN: %streamap-cc -c task.c && %cc -DMAIN -c plain.c -o main.o
// RUN: %streamap-cc -DNO_MAIN -fPIC -c task.c -o lib.o && ar rcs libarchive.a lib.o && ar rcsT libthin.a lib.o
// RUN: %streamap-cc -shared lib.o -o libshared.so && readelf -d libshared.so | FileCheck %s
// RUN: %streamap-cc task.o -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc task.o -lc -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc main.o libarchive.a -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc main.o libthin.a -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc main.o -L. -larchive -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc main.o -L. -lshared -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc main.o -L. -l:libarchive.a -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc main.o -Wl,--whole-archive,libarchive.a,--no-whole-archive -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc -DMAIN plain.c lib.o -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc -flto -c task.c -o lto.o && %streamap-cc -flto lto.o -o p && readelf -d p | FileCheck %s
//
// The library's functions are enough: this file has no directive.
// RUN: %streamap-cc %s -o p && readelf -d p | FileCheck %s
// RUN: %streamap-cc -c %s -o self.o && %streamap-cc self.o -o p && readelf -d p | FileCheck %s
//
// RUN: %streamap-cc -r lib.o -o r.o && readelf -h r.o | FileCheck --check-prefix=RELOCATABLE %s
// CHECK-NOT: NEEDED{{.*}}libc.so
// CHECK: NEEDED{{.*}}libstreamap.so
// RELOCATABLE: REL (Relocatable file)
#include <streamap/streamap.h>
int main(void) { return (int)streamap_task_index(); }
