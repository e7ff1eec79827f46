/* Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * In place of libstreamap: a call of a task runs at once, its C version or, with STAND_IN=G, its G version, whose kernels' twins
 * are run with this process's memory as the device's. So what the compiler makes can be judged without a runtime.
 *
 *   STAND_IN_CHUNKS  into how many chunks a split task is cut (default 1)
 *   STAND_IN_BLOCK   threads of a block (default 4), STAND_IN_BLOCKS  blocks at most (default 3)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <streamap/abi.h>

struct streamap_device {
  const struct streamap_images *images;
  void *scratch;
};

static streamap_chunk chunk = {INT64_MIN, INT64_MAX};
static int inTask;

static uint32_t setting(const char *name, uint32_t otherwise) {
  const char *text = getenv(name);
  return text ? (uint32_t)atoi(text) : otherwise;
}

/* ---- Kernels -------------------------------------------------------------------------------------------------------------- */

typedef struct {
  streamap_twin_thread thread;
  const streamap_kernel *kernel;
  void *const *arguments;
  pthread_barrier_t *all;
} twin;

static void meet(streamap_twin_thread *thread) {
  pthread_barrier_wait(((twin *)thread)->all);
}

static void *runTwin(void *one) {
  twin *self = one;
  self->kernel->twin(&self->thread, self->arguments);
  return 0;
}

/* Threads that wait for each other are threads; others take turns. */
static void runBlock(const streamap_kernel *kernel, void *const *arguments, streamap_dim3 grid, streamap_dim3 block,
                     uint32_t number) {
  int meets = (kernel->flags & STREAMAP_KERNEL_BARRIERS) != 0;
  twin *twins = calloc(block.x, sizeof *twins);
  pthread_t *threads = calloc(block.x, sizeof *threads);
  pthread_barrier_t all;
  pthread_barrier_init(&all, 0, block.x);
  for (uint32_t k = 0; k < block.x; k++) {
    streamap_twin_thread thread = {grid, block, {number, 0, 0}, {k, 0, 0}, 0, meets ? meet : 0};
    twins[k].thread = thread;
    twins[k].kernel = kernel;
    twins[k].arguments = arguments;
    twins[k].all = &all;
    if (meets)
      pthread_create(&threads[k], 0, runTwin, &twins[k]);
    else
      runTwin(&twins[k]);
  }
  for (uint32_t k = 0; meets && k < block.x; k++)
    pthread_join(threads[k], 0);
  pthread_barrier_destroy(&all);
  free(threads);
  free(twins);
}

void streamap_device_launch(streamap_device *device, uint32_t number, uint64_t iterations, void *const *arguments) {
  const streamap_kernel *kernel = &device->images->kernels[number];
  streamap_dim3 block = {setting("STAND_IN_BLOCK", 4), 1, 1}, grid = {1, 1, 1};
  if (iterations == 0)
    return;
  if (number >= device->images->nkernels || !kernel->twin) {
    fprintf(stderr, "stand-in: no kernel %u\n", number);
    exit(1);
  }
  /* What is given must be gone when this returns, so the kernel gets copies. */
  char *copies[STREAMAP_MAX_KERNEL_ARGS];
  for (uint32_t k = 0; k < kernel->nargs; k++) {
    copies[k] = malloc(kernel->argument_sizes[k] + 1u);
    memcpy(copies[k], arguments[k], kernel->argument_sizes[k]);
  }
  grid.x = (uint32_t)((iterations - 1) / block.x + 1 < setting("STAND_IN_BLOCKS", 3) ? (iterations - 1) / block.x + 1
                                                                                     : setting("STAND_IN_BLOCKS", 3));
  for (uint32_t b = 0; b < grid.x; b++)
    runBlock(kernel, (void *const *)copies, grid, block, b);
  for (uint32_t k = 0; k < kernel->nargs; k++)
    free(copies[k]);
}

void *streamap_device_scratch(streamap_device *device) {
  return device->scratch;
}

/* ---- Tasks ---------------------------------------------------------------------------------------------------------------- */

void streamap_register(const streamap_unit *unit) {
  if (unit->abi_version != STREAMAP_ABI_VERSION)
    exit(1);
}

static void runOnDevice(const streamap_task *task, const void *pack) {
  streamap_device device = {task->images, 0};
  if (!task->images) {
    fprintf(stderr, "stand-in: '%s' has no G version\n", task->name);
    exit(1);
  }
  device.scratch = aligned_alloc(256, (task->images->scratch + 256) / 256 * 256);
  memset(device.scratch, 0x5A, task->images->scratch);
  task->images->run(pack, &device);
  free(device.scratch);
}

int streamap_launch(const streamap_task *task, const void *pack) {
  const char *version = getenv("STAND_IN");
  uint32_t chunks = setting("STAND_IN_CHUNKS", 1), tables;
  streamap_grid grids[16];
  int64_t lo = INT64_MAX, hi = INT64_MIN;
  if (inTask)
    return 1;
  void (*run)(const streamap_task *, const void *) = 0;
  if (version && strcmp(version, "G") == 0)
    run = runOnDevice;
  inTask = 1;
  if (!task->grids || chunks == 1) {
    run ? run(task, pack) : task->body(pack);
  } else {
    tables = task->grids(pack, grids, 16);
    for (uint32_t k = 0; k < tables; k++) {
      if (grids[k].count > 0 && grids[k].first < lo)
        lo = grids[k].first;
      if (grids[k].count > 0 && grids[k].first + (grids[k].count - 1) * grids[k].step + 1 > hi)
        hi = grids[k].first + (grids[k].count - 1) * grids[k].step + 1;
    }
    for (uint32_t k = 0; lo < hi && k < chunks; k++) {
      chunk.lo = lo + (hi - lo) * k / chunks;
      chunk.hi = lo + (hi - lo) * (k + 1) / chunks;
      run ? run(task, pack) : task->body(pack);
    }
    chunk.lo = INT64_MIN;
    chunk.hi = INT64_MAX;
  }
  inTask = 0;
  return 0;
}

streamap_chunk streamap_current_chunk(void) {
  return chunk;
}
long streamap_task_index(void) {
  return 0;
}
long streamap_task_count(void) {
  return 1;
}
void streamap_inline_begin(streamap_frame *saved) {
  (void)saved;
}
void streamap_inline_end(const streamap_frame *saved) {
  (void)saved;
}
void streamap_wait(void) {}
void streamap_wait_on(const streamap_region *regions, uint32_t count) {
  (void)regions, (void)count;
}
void streamap_discard(const streamap_region *regions, uint32_t count) {
  (void)regions, (void)count;
}
void streamap_wait_on_bytes(const void *address, uint64_t bytes) {
  (void)address, (void)bytes;
}
void streamap_emit(streamap_sink *sink, uint32_t param, uint32_t access, const void *base, uint32_t naxes,
                   const streamap_axis *axes) {
  (void)sink, (void)param, (void)access, (void)base, (void)naxes, (void)axes;
}
