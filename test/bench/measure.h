/* What the measured programs share: the shapes, the clock and the output.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every system launches the same empty tasks in the same shapes. A program takes the shape, the number of tasks and the number of
 * repeats, runs the shape once to warm up, and prints for each repeat the microseconds per task from the first launch to the end
 * of the last task, one a line.
 */
#ifndef STREAMAP_BENCH_MEASURE_H
#define STREAMAP_BENCH_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum shape {
  SHAPE_INDEPENDENT, /* tasks without data                                                       */
  SHAPE_CHAIN,       /* each task reads and writes the same datum                                */
  SHAPE_FOUR_DATA    /* each task reads three shared data and reads and writes one of `OWN_DATA` */
};

enum { OWN_DATA = 64, SHARED_DATA = 3 };

/* Keeps a call of an empty task body from being removed. */
static inline void measure_touch(const void *p) {
  __asm__ volatile("" : : "r"(p) : "memory");
}

static inline double measure_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Runs `launch_all(shape, tasks)`, which returns when all its tasks have finished, as the command line says. Returns main's
 * value. */
static inline int measure_main(int argc, char **argv, void (*launch_all)(enum shape, long)) {
  static const char *const names[] = {"independent", "chain", "four"};
  enum shape shape = SHAPE_INDEPENDENT;
  long tasks = argc > 2 ? atol(argv[2]) : 0, repeats = argc > 3 ? atol(argv[3]) : 0, i;
  while (argc > 1 && shape <= SHAPE_FOUR_DATA && strcmp(argv[1], names[shape]) != 0)
    shape = (enum shape)(shape + 1);
  if (argc != 4 || shape > SHAPE_FOUR_DATA || tasks < 1 || repeats < 1) {
    fprintf(stderr, "usage: %s independent|chain|four TASKS REPEATS\n", argv[0]);
    return 2;
  }
  launch_all(shape, tasks);
  for (i = 0; i < repeats; i++) {
    double start = measure_now();
    launch_all(shape, tasks);
    printf("%.4f\n", (measure_now() - start) / (double)tasks);
  }
  return 0;
}

#endif
