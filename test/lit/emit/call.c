// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directive before a call: a descriptor of its own, and only that call's callee is another.
// RUN: mkdir -p %t && %streamap-cc -Wall -Wextra -Werror --streamap-explain --streamap-emit-source -c %s -o %t/call.o | FileCheck %s --check-prefix=EXPLAIN
// RUN: grep -v "^// " %t/call.streamap.c | FileCheck %s

int limit;

#pragma streamap resource 1:C inout(y[0:n]) priority(1)
void add(int n, int *y, int what);
// CHECK-NOT: streamap_enter_add

// CHECK: extern const streamap_task streamap_task_add;
// CHECK-NEXT: struct streamap_pack_add_call_1 { int streamap_n; void *streamap_y; int streamap_what; int streamap_step; int streamap_read_0; };
// CHECK: static streamap_int streamap_priority_add_call_1_of(int n, int *y, int what, int step, int streamap_read_0)
// CHECK: return (streamap_int)(step + streamap_read_0 + n);
// CHECK: static const streamap_task streamap_task_add_call_1 =
// CHECK-NEXT: {{.*}} 8,
// CHECK-NEXT: &streamap_task_add,
// CHECK-NEXT: 0, 0, 0, streamap_sections_add_call_1, streamap_priority_add_call_1,
// CHECK: static void streamap_call_add_call_1(int step, int n, int *y, int what)
// CHECK: streamap_wait_on_bytes((const void *)&(limit), sizeof(limit));
// CHECK-NEXT: streamap_pack_.streamap_read_0 = (limit);
// CHECK: if (streamap_launch(&streamap_task_add_call_1, &streamap_pack_)) (add)(n, y, what);
// CHECK: {{^}}void run(int *y)
void run(int *y)
{
    for (int step = 0; step < 3; step++)
// CHECK: streamap_call_add_call_1(step,
// CHECK-NEXT: # [[@LINE+3]] "{{.*}}call.c"
// CHECK-NEXT: {{^}}            8, y, 10);
        #pragma streamap resource 2:C priority(step + limit + n)
        add(8, y, 10);
// CHECK: {{^}}    add(8, y, 11);
    add(8, y, 11);

// The lists of wait on speak of variables in scope.
// CHECK: streamap_region_set(&streamap_regions[0], (const volatile void *)&(limit), 1, &streamap_axes[0]);
// CHECK-SAME: streamap_wait_on(streamap_regions, 2); }
    #pragma streamap wait on(limit, y[0:8])
// CHECK-NEXT: {{^}}    streamap_wait();
    #pragma streamap wait
}
// A program whose definition of add is no task does not link.
// CHECK: static const void *const streamap_used[] = { &streamap_task_add, };

// EXPLAIN: call of add
// EXPLAIN-NEXT: resources  2:C
