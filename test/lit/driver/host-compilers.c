// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host compiler may be any command, and the tool may stand behind others.
//
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/task.c %S/Inputs/number.h %t && cd %t
// RUN: %streamap-cc "--streamap-host-compiler=env X=1 %cc" task.c -o p && ./p | FileCheck %s
// RUN: env OMPI_CC=%tool mpicc task.c -o p && ./p | FileCheck %s
// RUN: env STREAMAP_HOST_CC=mpicc OMPI_CC=%cc %streamap-cc task.c -o p && ./p | FileCheck %s
// RUN: env STREAMAP_HOST_CC=mpicc OMPI_CC=%tool not %streamap-cc -c task.c 2>&1 | FileCheck --check-prefix=CIRCLE %s
// CHECK: 42
// CIRCLE: calls it [SM1707]
