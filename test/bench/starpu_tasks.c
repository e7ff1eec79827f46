/* The same empty tasks in StarPU 1.3, on CPU workers.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <starpu.h>

#include "measure.h"

static void empty(void *buffers[], void *argument) {
  (void)argument;
  measure_touch(buffers);
}

static struct starpu_codelet codelets[] = {
    [SHAPE_INDEPENDENT] = {.cpu_funcs = {empty}, .nbuffers = 0, .name = "independent"},
    [SHAPE_CHAIN] = {.cpu_funcs = {empty}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "chain"},
    [SHAPE_FOUR_DATA] = {.cpu_funcs = {empty}, .nbuffers = 4, .modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_RW}, .name = "four"},
};

static double data[SHARED_DATA + OWN_DATA];
static starpu_data_handle_t handles[SHARED_DATA + OWN_DATA];

static void launch_all(enum shape shape, long tasks) {
  for (long i = 0; i < tasks; i++) {
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelets[shape];
    if (shape == SHAPE_CHAIN)
      task->handles[0] = handles[SHARED_DATA];
    if (shape == SHAPE_FOUR_DATA) {
      for (int k = 0; k < SHARED_DATA; k++)
        task->handles[k] = handles[k];
      task->handles[SHARED_DATA] = handles[SHARED_DATA + i % OWN_DATA];
    }
    if (starpu_task_submit(task) != 0) {
      fprintf(stderr, "starpu_task_submit failed\n");
      exit(1);
    }
  }
  starpu_task_wait_for_all();
}

int main(int argc, char **argv) {
  struct starpu_conf conf;
  int status;
  starpu_conf_init(&conf);
  conf.ncuda = 0;
  conf.nopencl = 0;
  if (starpu_init(&conf) != 0)
    return 77; /* nothing to run on: the caller prints SKIP */
  for (int k = 0; k < SHARED_DATA + OWN_DATA; k++)
    starpu_variable_data_register(&handles[k], STARPU_MAIN_RAM, (uintptr_t)&data[k], sizeof data[k]);
  status = measure_main(argc, argv, launch_all);
  for (int k = 0; k < SHARED_DATA + OWN_DATA; k++)
    starpu_data_unregister(handles[k]);
  starpu_shutdown();
  return status;
}
