/* Empty tasks in StreamMAP.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "measure.h"

#pragma streamap resource 1 : C
static void independent(long i) {
  measure_touch(&i);
}

#pragma streamap resource 1 : C inout(x[0])
static void chain(double *x) {
  measure_touch(x);
}

#pragma streamap resource 1 : C in(a[0], b[0], c[0])inout(x[0])
static void four(const double *a, const double *b, const double *c, double *x) {
  measure_touch(a);
  measure_touch(b);
  measure_touch(c);
  measure_touch(x);
}

static double shared_data[SHARED_DATA], own_data[OWN_DATA];

static void launch_all(enum shape shape, long tasks) {
  switch (shape) {
  case SHAPE_INDEPENDENT:
    for (long i = 0; i < tasks; i++)
      independent(i);
    break;
  case SHAPE_CHAIN:
    for (long i = 0; i < tasks; i++)
      chain(own_data);
    break;
  case SHAPE_FOUR_DATA:
    for (long i = 0; i < tasks; i++)
      four(&shared_data[0], &shared_data[1], &shared_data[2], &own_data[i % OWN_DATA]);
    break;
  }
#pragma streamap wait
}

int main(int argc, char **argv) {
  return measure_main(argc, argv, launch_all);
}
