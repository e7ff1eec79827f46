/* The same empty tasks in OpenMP: `task depend`.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "measure.h"

static double shared_data[SHARED_DATA], own_data[OWN_DATA];

static void launch_from_one_thread(enum shape shape, long tasks) {
  switch (shape) {
  case SHAPE_INDEPENDENT:
    for (long i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i)
      measure_touch(&i);
    }
    break;
  case SHAPE_CHAIN:
    for (long i = 0; i < tasks; i++) {
#pragma omp task depend(inout : own_data[0])
      measure_touch(own_data);
    }
    break;
  case SHAPE_FOUR_DATA:
    for (long i = 0; i < tasks; i++) {
      double *own = &own_data[i % OWN_DATA];
#pragma omp task depend(in : shared_data[0], shared_data[1], shared_data[2]) depend(inout : own[0]) firstprivate(own)
      measure_touch(own);
    }
    break;
  }
#pragma omp taskwait
}

static void launch_all(enum shape shape, long tasks) {
#pragma omp parallel
#pragma omp master
  launch_from_one_thread(shape, tasks);
}

int main(int argc, char **argv) {
  return measure_main(argc, argv, launch_all);
}
