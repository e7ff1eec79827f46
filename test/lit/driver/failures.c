// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fails leaves nothing behind but what make needs, as with a plain compile.
//
// RUN: rm -rf %t && mkdir -p %t/tmp && cp %S/Inputs/number.h %t && cd %t
// RUN: env TMPDIR=%t/tmp not %streamap-cc -DTOOL_ERROR -c %s -o out.o 2>&1 | FileCheck --check-prefix=TOOL %s
// RUN: env TMPDIR=%t/tmp not %streamap-cc -DHOST_ERROR -MMD -c %s -o out.o 2>&1 | FileCheck --check-prefix=HOST %s
// RUN: env TMPDIR=%t/tmp not %streamap-cc -DTOOL_ERROR %s -o out.o
// RUN: env TMPDIR=%t/tmp not %streamap-cc -DHOST_ERROR -S %s -o out.o
// RUN: env TMPDIR=%t/tmp not %streamap-cc -DTOOL_ERROR -E %s -o out.o
// RUN: env TMPDIR=%t/tmp not %streamap-cc -DLINK_ERROR %s -o out.o
// RUN: not ls out.o && ls out.d && ls -A tmp | FileCheck --allow-empty --check-prefix=EMPTY %s
//
// One source of two that is right keeps its object.
// RUN: cp %s wrong.c && cp %S/Inputs/task.c . && env TMPDIR=%t/tmp not %streamap-cc -DTOOL_ERROR -c task.c wrong.c
// RUN: ls task.o && not ls wrong.o && ls -A tmp | FileCheck --allow-empty --check-prefix=EMPTY %s
//
// What cannot be written, or run.
// RUN: not %streamap-cc -c task.c -o no/such/out.o
// RUN: not %streamap-cc -E task.c -o no/such/out.i 2>&1 | FileCheck --check-prefix=WRITE %s
// RUN: env STREAMAP_HOST_CC=no-such-compiler not %streamap-cc -c task.c 2>&1 | FileCheck --check-prefix=RUNS %s
// RUN: not %streamap-cc --streamap-host-compiler=%tool -c task.c 2>&1 | FileCheck --check-prefix=ITSELF %s
// RUN: not %streamap-cc -static task.c -o out 2>&1 | FileCheck --check-prefix=STATIC %s
//
// WRITE: error: cannot write 'no/such/out.i': {{.*}} [SM1703]
// RUNS: error: the host compiler 'no-such-compiler' cannot be run: {{.*}} [SM1701]
// ITSELF: is streamap-cc itself, or calls it [SM1707]
// EMPTY-NOT: {{.}}
// STATIC: cannot be linked with '-static' [SM1708]

#ifdef TOOL_ERROR
// TOOL: failures.c:[[@LINE+1]]:29: error: unknown resource 'K' [SM1021]
#pragma streamap resource 1:K
#else
#pragma streamap resource 1:C inout(x[0:1])
#endif
void set(int *x) {
#ifdef HOST_ERROR
  // HOST: failures.c:[[@LINE+1]]:{{[0-9]+}}: error:
  _Static_assert(sizeof(x) == 0, "never so");
#endif
  *x = 1;
}
#ifdef LINK_ERROR
int missing(void);
int main(void) { return missing(); }
#endif
