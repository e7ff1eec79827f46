/* G tasks as generated code has them, with descriptors, kernels and host twins written by hand. The program checks its own
 * answers and ends with 0, or says what is wrong. The number of G tasks of each launch is its first argument, that of C tasks the
 * second.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamap/abi.h"

enum { steps = 40, length = 50000 };
static int64_t gpu_tasks = 1, cpu_tasks = 1;

/* to[i] = from[i-1] + 2 * from[i] + from[i+1], 0 < i < n-1, and total += from[i] */
struct pack {
  int64_t n;
  const uint32_t *from;
  uint32_t *to;
  uint32_t *total;
};

static void one(const struct pack *pack, int64_t i) {
  pack->to[i] = pack->from[i - 1] + 2 * pack->from[i] + pack->from[i + 1];
  *pack->total += pack->from[i];
}

static streamap_grid grid_of(const struct pack *pack) {
  return streamap_loop_grid(1, pack->n - 1, 1, STREAMAP_LOOP_LT);
}

static uint32_t grids(const void *p, streamap_grid *out, uint32_t capacity) {
  if (capacity > 0)
    out[0] = grid_of(p);
  return 1;
}

static void sections(const void *p, streamap_sink *sink) {
  const struct pack *pack = p;
  const streamap_axis halo = {-1, 1, 3, 0, 0, pack->n, sizeof(uint32_t)}, own = {0, 1, 1, 0, 0, pack->n, sizeof(uint32_t)},
                      single = {0, 0, 1, 0, 0, 1, sizeof(uint32_t)};
  streamap_emit(sink, 1, STREAMAP_IN, pack->from, 1, &halo);
  streamap_emit(sink, 2, STREAMAP_OUT, pack->to, 1, &own);
  streamap_emit(sink, 3, STREAMAP_REDUCTION, pack->total, 1, &single);
}

static void counts(const void *p, int64_t *out) {
  (void)p;
  out[0] = gpu_tasks;
  out[1] = cpu_tasks;
}

static void body(const void *p) {
  const streamap_grid mine = streamap_grid_clip(grid_of(p), streamap_current_chunk().lo, streamap_current_chunk().hi);
  int64_t k;
  for (k = 0; k < mine.count; k++)
    one(p, mine.first + k);
}

/* ---- The kernel: a grid-stride loop over the chunk, and its launch
 * -------------------------------------------------------------- */

static void twin(streamap_twin_thread *thread, void *const *arguments) {
  const struct pack *pack = arguments[0];
  const streamap_grid *mine = arguments[1];
  int64_t k = (int64_t)thread->block_index.x * thread->block.x + thread->thread_index.x;
  for (; k < mine->count; k += (int64_t)thread->grid.x * thread->block.x)
    one(pack, mine->first + k);
}

static void on_device(const void *p, streamap_device *device) {
  struct pack pack = *(const struct pack *)p;
  streamap_grid mine = streamap_grid_clip(grid_of(&pack), streamap_current_chunk().lo, streamap_current_chunk().hi);
  void *arguments[2];
  arguments[0] = &pack;
  arguments[1] = &mine;
  streamap_device_launch(device, 0, (uint64_t)mine.count, arguments);
}

static const uint32_t sizes[] = {sizeof(struct pack), sizeof(streamap_grid)};
static const streamap_kernel kernels[] = {{"relax", 0, 2, sizes, 0, 0, twin}};
static const streamap_image image = {STREAMAP_IMAGE_TWINS, 1, kernels, 0, 0};
static const struct streamap_images images = {sizeof(struct streamap_images), 1, 1, kernels, &image, on_device};

static const streamap_item items[] = {{STREAMAP_KIND_G, STREAMAP_ITEM_EXPRESSION, 0, 0},
                                      {STREAMAP_KIND_C, STREAMAP_ITEM_EXPRESSION, 0, 0}};
static const streamap_param params[] = {
    {"n", offsetof(struct pack, n), 8, 0, 0, 0, 0},
    {"from", offsetof(struct pack, from), 8, 1, STREAMAP_IN, 0, 0},
    {"to", offsetof(struct pack, to), 8, 1, STREAMAP_OUT, 0, 0},
    {"total", offsetof(struct pack, total), 8, 1, STREAMAP_REDUCTION, STREAMAP_OP_ADD, STREAMAP_U32}};
static const streamap_task streamap_task_relax = {STREAMAP_ABI_VERSION,
                                                  sizeof(streamap_task),
                                                  "relax",
                                                  "device_tasks.c",
                                                  1,
                                                  STREAMAP_FLAG_SPLIT,
                                                  2,
                                                  4,
                                                  0,
                                                  sizeof(struct pack),
                                                  items,
                                                  params,
                                                  0,
                                                  0,
                                                  body,
                                                  counts,
                                                  grids,
                                                  sections,
                                                  0,
                                                  0,
                                                  0,
                                                  0,
                                                  0,
                                                  &images};

static const streamap_task *const tasks[] = {&streamap_task_relax};
static const streamap_unit unit = {STREAMAP_ABI_VERSION, 1, "device_tasks.c", "by hand", tasks, 0, 0};
__attribute__((constructor)) static void enrol(void) {
  streamap_register(&unit);
}

/* ---- The program
 * ---------------------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv) {
  static uint32_t a[length], b[length], serial_a[length], serial_b[length];
  static uint32_t total, serial_total;
  struct pack pack, serial;
  int64_t i, k;
  gpu_tasks = argc > 1 ? atol(argv[1]) : 1;
  cpu_tasks = argc > 2 ? atol(argv[2]) : 1;
  for (i = 0; i < length; i++)
    a[i] = serial_a[i] = (uint32_t)(i * 2654435761u);
  for (k = 0; k < steps; k++) {
    pack.n = serial.n = length;
    pack.from = k % 2 ? b : a;
    pack.to = k % 2 ? a : b;
    pack.total = &total;
    serial.from = k % 2 ? serial_b : serial_a;
    serial.to = k % 2 ? serial_a : serial_b;
    serial.total = &serial_total;
    if (streamap_launch(&streamap_task_relax, &pack)) {
      fprintf(stderr, "device_tasks: a launch was to run inline\n");
      return 1;
    }
    for (i = 1; i < length - 1; i++)
      one(&serial, i);
    if (k % 10 == 9) { /* main looks, and writes */
      streamap_wait_on_bytes(&total, sizeof total);
      if (total != serial_total)
        break;
      total += 7;
      serial_total += 7;
    }
  }
  streamap_wait();
  if (total != serial_total || memcmp(a, serial_a, sizeof a) != 0 || memcmp(b, serial_b, sizeof b) != 0) {
    fprintf(stderr, "device_tasks: a wrong answer\n");
    return 1;
  }
  return 0;
}
