/* Host twins for the tests of the CUDA double and of the backend: what a compiler would make of a few kernels.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stddef.h>

#include "twins.h"

#define ARGUMENT(type, k) (*(type *)arguments[k])

static uint64_t first_index(const streamap_twin_thread *t) {
  return (uint64_t)t->block_index.x * t->block.x + t->thread_index.x;
}
static uint64_t stride(const streamap_twin_thread *t) {
  return (uint64_t)t->grid.x * t->block.x;
}

/* saxpy(size_t n, float a, const float *x, float *y) */
static void saxpy(streamap_twin_thread *t, void *const *arguments) {
  const float *x = ARGUMENT(const float *, 2);
  float *y = ARGUMENT(float *, 3);
  for (uint64_t i = first_index(t); i < ARGUMENT(size_t, 0); i += stride(t))
    y[i] += ARGUMENT(float, 1) * x[i];
}

/* add(size_t n, int64_t by, int64_t *x) */
static void add(streamap_twin_thread *t, void *const *arguments) {
  int64_t *x = ARGUMENT(int64_t *, 2);
  for (uint64_t i = first_index(t); i < ARGUMENT(size_t, 0); i += stride(t))
    x[i] += ARGUMENT(int64_t, 1);
}

/* reverse_blocks(int *x): each block turns its part around, through shared memory. */
static void reverse_blocks(streamap_twin_thread *t, void *const *arguments) {
  int *part = ARGUMENT(int *, 0) + (size_t)t->block_index.x * t->block.x;
  int *shared = t->shared;
  shared[t->thread_index.x] = part[t->thread_index.x];
  t->barrier(t);
  part[t->thread_index.x] = shared[t->block.x - 1 - t->thread_index.x];
}

/* block_sums(const int *x, int *sums): a tree with a barrier at each level. */
static void block_sums(streamap_twin_thread *t, void *const *arguments) {
  int *shared = t->shared;
  const uint32_t me = t->thread_index.x;
  shared[me] = ARGUMENT(const int *, 0)[(size_t)t->block_index.x * t->block.x + me];
  t->barrier(t);
  for (uint32_t half = t->block.x / 2; half > 0; half /= 2) {
    if (me < half)
      shared[me] += shared[me + half];
    t->barrier(t);
  }
  if (me == 0)
    ARGUMENT(int *, 1)[t->block_index.x] = shared[0];
}

/* positions(uint32_t *out): the number of each thread in the launch, from all three dimensions. */
static void positions(streamap_twin_thread *t, void *const *arguments) {
  const uint64_t block = ((uint64_t)t->block_index.z * t->grid.y + t->block_index.y) * t->grid.x + t->block_index.x;
  const uint64_t thread = ((uint64_t)t->thread_index.z * t->block.y + t->thread_index.y) * t->block.x + t->thread_index.x;
  const uint64_t number = block * t->block.x * t->block.y * t->block.z + thread;
  ARGUMENT(uint32_t *, 0)[number] = (uint32_t)number;
}

/* store(char *where, size_t offset): one byte, wherever that is. */
static void store(streamap_twin_thread *t, void *const *arguments) {
  if (first_index(t) == 0)
    ((volatile char *)ARGUMENT(char *, 0))[ARGUMENT(size_t, 1)] = 1;
}

/* store_behind_barrier(char *where, size_t offset): the same by the last thread of a block, while the others wait. */
static void store_behind_barrier(streamap_twin_thread *t, void *const *arguments) {
  t->barrier(t);
  if (t->thread_index.x == t->block.x - 1)
    ((volatile char *)ARGUMENT(char *, 0))[ARGUMENT(size_t, 1)] = 1;
  t->barrier(t);
}

static const uint32_t saxpy_sizes[] = {8, 4, 8, 8}, add_sizes[] = {8, 8, 8}, one_pointer[] = {8}, two_words[] = {8, 8};
static const streamap_kernel kernels[] = {
    {.name = "saxpy", .nargs = 4, .argument_sizes = saxpy_sizes, .twin = saxpy},
    {.name = "add", .nargs = 3, .argument_sizes = add_sizes, .twin = add},
    {.name = "reverse_blocks",
     .flags = STREAMAP_KERNEL_BARRIERS,
     .nargs = 1,
     .argument_sizes = one_pointer,
     .twin = reverse_blocks},
    {.name = "block_sums", .flags = STREAMAP_KERNEL_BARRIERS, .nargs = 2, .argument_sizes = two_words, .twin = block_sums},
    {.name = "positions", .nargs = 1, .argument_sizes = one_pointer, .twin = positions},
    {.name = "store", .nargs = 2, .argument_sizes = two_words, .twin = store},
    {.name = "store_behind_barrier",
     .flags = STREAMAP_KERNEL_BARRIERS,
     .nargs = 2,
     .argument_sizes = two_words,
     .twin = store_behind_barrier},
};

__attribute__((visibility("default")))
const streamap_twin_table streamap_twins = {STREAMAP_ABI_VERSION, sizeof kernels / sizeof *kernels, kernels};
