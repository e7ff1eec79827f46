// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task function stays one function; what launches it and what describes it stand around it.
// RUN: mkdir -p %t && %streamap-cc -O1 -Wall -Wextra -Werror -Wno-unknown-pragmas --streamap-emit-source -c %s -o %t/task.o
// RUN: grep -v "^// " %t/task.streamap.c | FileCheck %s

// CHECK: # 1 "{{.*}}task.c"
// CHECK-NEXT: #include <streamap/generated.h>
// CHECK-NEXT: #define STREAMAP_UNIT_IMAGES
// CHECK-NEXT: # 1 "{{.*}}task.c"

// The directive makes room; the prototype of the entry comes in its line.
// CHECK: # [[@LINE+3]] "{{.*}}task.c" 3
// CHECK-NEXT: static int streamap_enter_saxpy(unsigned long n, float a, const float *x, float *y, streamap_entry *streamap_entry_);
// CHECK-NOT: #pragma streamap
#pragma streamap resource 2:G, 6:C split(i) in(x[i-1:3]) inout(y[i]) extent(x[0:n])
// CHECK: {{^}}void saxpy(unsigned long n, float a, const float *x, float *y)
void saxpy(unsigned long n, float a, const float *x, float *y)
{
// CHECK: STREAMAP_ENTER_SPLIT(streamap_enter_saxpy(n, a, x, y, &streamap_entered));
// CHECK: #pragma omp parallel for
    #pragma omp parallel for
// CHECK: for (unsigned long i =
// CHECK-NEXT: # [[@LINE+10]] "{{.*}}task.c" 3
// CHECK-NEXT: (unsigned long)streamap_loop_first((streamap_int)(1), (streamap_int)(n - 1), (streamap_int)(2), 0, streamap_part)
// CHECK-NEXT: # [[@LINE+8]] "{{.*}}task.c"
// CHECK-NEXT: {{^ +}}; i <
// CHECK-NEXT: # [[@LINE+6]] "{{.*}}task.c" 3
// CHECK-NEXT: (unsigned long)streamap_loop_bound((streamap_int)(1), (streamap_int)(n - 1), (streamap_int)(2), 0, streamap_part)
// CHECK-NEXT: # [[@LINE+4]] "{{.*}}task.c"
// What follows in the line is where it was.
// CHECK-NEXT: {{^}}                                     ; i += 2)
// CHECK-NEXT: y[i] += a * (x[i - 1] + x[i + 1]);
    for (unsigned long i = 1; i < n - 1; i += 2)
        y[i] += a * (x[i - 1] + x[i + 1]);
}
// CHECK: struct streamap_pack_saxpy { unsigned long streamap_n; float streamap_a; void *streamap_x; void *streamap_y; };
// CHECK: static void streamap_body_saxpy(const void *streamap_raw)
// CHECK-NEXT: streamap_direct_saxpy = 1; (saxpy)(
// CHECK: streamap_out[0] = streamap_loop_grid((streamap_int)(1), (streamap_int)(n - 1), (streamap_int)(2), 0);

// A section is told by its bounds at index 0 and at index 1.
// CHECK: { const streamap_int i = 0; streamap_v[0] = (streamap_int)(i-1); streamap_v[1] = (streamap_int)(3); (void)i; }
// CHECK-NEXT: { const streamap_int i = 1; streamap_v[2] = (streamap_int)(i-1); streamap_v[3] = (streamap_int)(3); (void)i; }
// CHECK-NEXT: streamap_axis_set(&streamap_axes[0], streamap_v[0], streamap_v[1], streamap_v[2], streamap_v[3], (streamap_int)(0), (streamap_int)(n), (streamap_int)(sizeof(x[0])));
// CHECK-NEXT: streamap_emit(streamap_sink_, 2, 1, (const void *)x, 1, streamap_axes);
// CHECK: streamap_emit(streamap_sink_, 3, 3, (const void *)y, 1, streamap_axes);

// CHECK: streamap_items_saxpy[] = { {71, 0, 2, 2}, {67, 0, 6, 6}, };
// CHECK: __attribute__((visibility("default"))) const streamap_task streamap_task_saxpy =
// CHECK: static int streamap_enter_saxpy(
// CHECK: if (streamap_direct_saxpy) { streamap_direct_saxpy = 0; return 0; }
// CHECK: streamap_pack_.streamap_n = n;
// CHECK: if (!streamap_launch(&streamap_task_saxpy, &streamap_pack_)) return 1;
// CHECK: streamap_enter_inline(streamap_entry_);

// No task of another file is used.
// CHECK-NOT: streamap_used
// CHECK: static const streamap_task *const streamap_tasks[] = { &streamap_task_saxpy, };
// CHECK: streamap_register(&streamap_this_unit);
