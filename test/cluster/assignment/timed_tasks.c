/* Tasks that take as long as the device's modelled speed says, to see where they go. Arguments: how many, their resource (G, C or
 * A: either), share, iterations of the kernel, milliseconds that the C version sleeps, and that the kernel does. Prints how long
 * they took together, in milliseconds.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "streamap/abi.h"

enum { most = 1024 };
static int64_t share = 100, kernel_ms;

struct pack {
  int64_t iterations, sleep_ms;
  uint32_t *done;
};

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void sections(const void *p, streamap_sink *sink) {
  const struct pack *pack = p;
  const streamap_axis one = {0, 0, 1, 0, 0, 1, sizeof(uint32_t)};
  streamap_emit(sink, 2, STREAMAP_INOUT, pack->done, 1, &one);
}

static void sleep_for(int64_t ms) {
  struct timespec time;
  time.tv_sec = ms / 1000;
  time.tv_nsec = ms % 1000 * 1000000;
  nanosleep(&time, 0);
}

static void body(const void *p) {
  const struct pack *pack = p;
  sleep_for(pack->sleep_ms);
  ++*pack->done;
}

static void twin(streamap_twin_thread *thread, void *const *arguments) {
  uint32_t *const *const done = arguments[0];
  if (thread->block_index.x != 0 || thread->thread_index.x != 0)
    return;
  sleep_for(*(const int64_t *)arguments[1]);
  ++**done;
}

static void on_device(const void *p, streamap_device *device) {
  struct pack pack = *(const struct pack *)p;
  void *arguments[2];
  arguments[0] = &pack.done;
  arguments[1] = &kernel_ms;
  streamap_device_launch(device, 0, (uint64_t)pack.iterations, arguments);
}

static int64_t share_of(const void *p) {
  (void)p;
  return share;
}

static const uint32_t sizes[] = {sizeof(uint32_t *), sizeof(int64_t)};
static const streamap_kernel kernels[] = {{"timed", 0, 2, sizes, 0, 0, twin}};
static const streamap_image image = {STREAMAP_IMAGE_TWINS, 1, kernels, 0, 0};
static const struct streamap_images images = {sizeof(struct streamap_images), 1, 1, kernels, &image, on_device};
static const streamap_item on_gpu = {STREAMAP_KIND_G, STREAMAP_ITEM_COUNT, 1, 0},
                           on_cpu = {STREAMAP_KIND_C, STREAMAP_ITEM_COUNT, 1, 0};
static const streamap_param params[] = {{"iterations", offsetof(struct pack, iterations), 8, 0, 0, 0, 0},
                                        {"sleep_ms", offsetof(struct pack, sleep_ms), 8, 0, 0, 0, 0},
                                        {"done", offsetof(struct pack, done), 8, 1, STREAMAP_INOUT, 0, 0}};
/* clang-format off */
#define TASK(name, count, item) \
  {STREAMAP_ABI_VERSION, sizeof(streamap_task), name, "timed_tasks.c", 1, 0, count, 3, 0, sizeof(struct pack), item, params, \
   0, 0, body, 0, 0, sections, 0, 0, 0, share_of, 0, &images}
/* clang-format on */
static const streamap_task gpu_task = TASK("timed", 1, &on_gpu), cpu_task = TASK("timed_c", 1, &on_cpu),
                           any_task = TASK("timed_a", 0, 0);
static const streamap_task *const tasks[] = {&gpu_task, &cpu_task, &any_task};
static const streamap_unit unit = {STREAMAP_ABI_VERSION, 3, "timed_tasks.c", "by hand", tasks, 0, 0};
__attribute__((constructor)) static void enrol(void) {
  streamap_register(&unit);
}

int main(int argc, char **argv) {
  /* Apart from each other, so that no two tasks touch one cache line. */
  static uint32_t done[most][64];
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  const char kind = argc > 2 ? argv[2][0] : 'G';
  const streamap_task *const task = kind == 'G' ? &gpu_task : kind == 'C' ? &cpu_task : &any_task;
  struct pack pack;
  double start;
  int k, wrong = 0;
  share = argc > 3 ? atoi(argv[3]) : 100;
  pack.iterations = argc > 4 ? atoi(argv[4]) : 1;
  pack.sleep_ms = argc > 5 ? atoi(argv[5]) : 0;
  kernel_ms = argc > 6 ? atoi(argv[6]) : 0;
  if (count < 1 || count > most)
    return 2;
  start = now_ms();
  for (k = 0; k < count; k++) {
    pack.done = done[k];
    streamap_launch(task, &pack);
  }
  streamap_wait();
  printf("%.1f\n", now_ms() - start);
  for (k = 0; k < count; k++)
    wrong += done[k][0] != 1;
  return wrong != 0;
}
