// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop becomes a kernel that keeps its text, once for the host and once for devices; the thunk launches it.
// RUN: mkdir -p %t && %streamap-cc -O1 --streamap-emit-source -c %s -o %t/text.o
// RUN: FileCheck --check-prefix=HOST %s < %t/text.streamap.c
// RUN: FileCheck --check-prefix=DEVICE %s < %t/text.streamap.cu
// RUN: strings %t/text.o | FileCheck --check-prefix=PTX %s
// RUN: %streamap-cc --streamap-device=none -c %s -o %t/none.o && strings %t/none.o | not grep -F ".entry"
// RUN: not %streamap-cc --streamap-device=toaster -c %s -o %t/none.o 2>&1 | FileCheck --check-prefix=KIND %s
// KIND: names no kind of device [SM1706]

#define TWICE(v) (2 * (v))
typedef struct {
  float x, y;
} point;
static const float weights[2] = {1, 3};
static float length(const point *p)
{
  return p->x * p->x + p->y * p->y;
}

// HOST: static void streamap_kernel_measure_0(streamap_twin_thread *streamap_thread, void *const *streamap_raw)
// HOST: y[i] += ( 2 * ( a ) ) * length(&p[i]) * weights[i % 2];
// HOST: static void streamap_run_measure_of(
// HOST: streamap_loop_range((streamap_int)(0), (streamap_int)(n), 1, 0, streamap_part)
// HOST: streamap_device_launch(streamap_to, 0, streamap_total, streamap_arguments)
// HOST: streamap_images_measure = {

// DEVICE: typedef struct {
// DEVICE: } point; static_assert(sizeof(point) == 8, "another layout");
// DEVICE: static __device__ const float weights[2]
// DEVICE: __device__ static float length(const point *p);
// DEVICE: extern "C" __global__ void streamap_kernel_measure_0({{.*}}float a{{.*}})
// DEVICE: #line [[#@LINE+7]]
// DEVICE-NEXT: y[i] += ( 2 * ( a ) ) * length(&p[i]) * weights[i % 2];
// PTX: .visible .entry streamap_kernel_measure_0
#pragma streamap resource 1:G, 1:C split(i) in(p[i]) inout(y[i])
void measure(int n, float a, const point *p, float *y)
{
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] += TWICE(a) * length(&p[i]) * weights[i % 2];
}

// A reduction stays on the device: what reads it is a kernel of one thread.
// HOST: static void streamap_kernel_add_up_1(
// HOST: streamap_partial_s[streamap_lane] = s;
// HOST: static void streamap_kernel_add_up_2(
// HOST: STREAMAP_BARRIER();
// HOST: static void streamap_kernel_add_up_3(
// HOST: if (STREAMAP_THREAD == 0) {
// HOST-NEXT: total[0] += (*streamap_at_s);
// HOST: STREAMAP_KERNEL_BARRIERS
#pragma streamap resource 1:G, 1:C split(i) in(y[i]) reduction(+: total[0:1])
void add_up(int n, const float *y, float *total)
{
  float s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += y[i];
  total[0] += s;
}
