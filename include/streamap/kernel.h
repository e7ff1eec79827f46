/* StreamMAP: what the text of kernels leans on.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same text of a kernel is compiled by the host compiler, as its twin, and by a device compiler. This header says to each
 * what the words in it mean. It includes nothing. A device's source defines STREAMAP_DEVICE_SOURCE in front of it, and
 * STREAMAP_NO_TOOLKIT where Clang alone compiles it, without any vendor's headers.
 */
#ifndef STREAMAP_KERNEL_H
#define STREAMAP_KERNEL_H

/* Into how many parts a reduction is cut at most: enough for the largest devices, and partial results of 256 KiB. A power of 2.
 */
#define STREAMAP_MOST_LANES 32768u

#define STREAMAP_INFINITY __builtin_huge_val()

/* In a kernel: STREAMAP_THREAD of STREAMAP_THREADS in the launch, STREAMAP_BLOCK_THREAD of STREAMAP_BLOCK_THREADS in the block;
 * launches have one dimension. streamap_exchange_32 and _64 store *desired at `place` if *expected is there, else put what is
 * there into *expected; the result is whether they stored. */

#ifdef STREAMAP_DEVICE_SOURCE

#ifdef STREAMAP_NO_TOOLKIT
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define STREAMAP_INDEX(OF) ((unsigned)__nvvm_read_ptx_sreg_##OF())
#define STREAMAP_THREAD_X STREAMAP_INDEX(tid_x)
#define STREAMAP_BLOCK_X STREAMAP_INDEX(ctaid_x)
#define STREAMAP_BLOCK_SIZE STREAMAP_INDEX(ntid_x)
#define STREAMAP_GRID_SIZE STREAMAP_INDEX(nctaid_x)
#define STREAMAP_BARRIER() __syncthreads()
#define STREAMAP_CAS_32(PLACE, OLD, NEW) ((unsigned)__nvvm_atom_cas_gen_i((int *)(PLACE), (int)(OLD), (int)(NEW)))
#define STREAMAP_CAS_64(PLACE, OLD, NEW)                                                                                         \
  ((unsigned long long)__nvvm_atom_cas_gen_ll((long long *)(PLACE), (long long)(OLD), (long long)(NEW)))
#else
#ifdef __HIP__
#include <hip/hip_runtime.h>
#endif
#define STREAMAP_THREAD_X threadIdx.x
#define STREAMAP_BLOCK_X blockIdx.x
#define STREAMAP_BLOCK_SIZE blockDim.x
#define STREAMAP_GRID_SIZE gridDim.x
#define STREAMAP_BARRIER() __syncthreads()
#define STREAMAP_CAS_32(PLACE, OLD, NEW) atomicCAS((unsigned *)(PLACE), OLD, NEW)
#define STREAMAP_CAS_64(PLACE, OLD, NEW) atomicCAS((unsigned long long *)(PLACE), OLD, NEW)

/* The host compilers' own functions, which nvcc has under other names in device code. */
#define __builtin_popcount(X) __popc(X)
#define __builtin_popcountl(X) __popcll(X)
#define __builtin_popcountll(X) __popcll(X)
#define __builtin_clz(X) __clz((int)(X))
#define __builtin_clzl(X) __clzll((long long)(X))
#define __builtin_clzll(X) __clzll((long long)(X))
#define __builtin_ctz(X) (__ffs((int)(X)) - 1)
#define __builtin_ctzl(X) (__ffsll((long long)(X)) - 1)
#define __builtin_ctzll(X) (__ffsll((long long)(X)) - 1)
#define __builtin_ffs(X) __ffs(X)
#define __builtin_ffsll(X) __ffsll(X)
#define __builtin_bswap32(X) __byte_perm(X, 0, 0x0123)
#define __builtin_bswap64(X)                                                                                                     \
  ((unsigned long long)__byte_perm((unsigned)(X), 0, 0x0123) << 32 |                                                             \
   __byte_perm((unsigned)((unsigned long long)(X) >> 32), 0, 0x0123))
#define __builtin_isinf_sign(X) ((X) == STREAMAP_INFINITY ? 1 : (X) == -STREAMAP_INFINITY ? -1 : 0)
#define __builtin_isgreater(X, Y) ((X) > (Y))
#define __builtin_isgreaterequal(X, Y) ((X) >= (Y))
#define __builtin_isless(X, Y) ((X) < (Y))
#define __builtin_islessequal(X, Y) ((X) <= (Y))
#define __builtin_islessgreater(X, Y) ((X) < (Y) || (X) > (Y))
#define __builtin_isunordered(X, Y) ((X) != (X) || (Y) != (Y))
#endif

typedef long long streamap_int;
typedef unsigned long long streamap_uint;

/* Functions, so that a variable of the program called threadIdx changes nothing. */
static __device__ inline unsigned streamap_block_thread() {
  return STREAMAP_THREAD_X;
}
static __device__ inline unsigned streamap_block_threads() {
  return STREAMAP_BLOCK_SIZE;
}
static __device__ inline unsigned streamap_block() {
  return STREAMAP_BLOCK_X;
}
static __device__ inline unsigned streamap_blocks() {
  return STREAMAP_GRID_SIZE;
}

static __device__ inline bool streamap_exchange_32(void *place, void *expected, const void *desired) {
  unsigned want, next, found;
  __builtin_memcpy(&want, expected, 4);
  __builtin_memcpy(&next, desired, 4);
  found = STREAMAP_CAS_32(place, want, next);
  __builtin_memcpy(expected, &found, 4);
  return found == want;
}
static __device__ inline bool streamap_exchange_64(void *place, void *expected, const void *desired) {
  unsigned long long want, next, found;
  __builtin_memcpy(&want, expected, 8);
  __builtin_memcpy(&next, desired, 8);
  found = STREAMAP_CAS_64(place, want, next);
  __builtin_memcpy(expected, &found, 8);
  return found == want;
}

#define STREAMAP_BLOCK_THREAD ((streamap_uint)streamap_block_thread())
#define STREAMAP_BLOCK_THREADS ((streamap_uint)streamap_block_threads())
#define STREAMAP_FIRST_BLOCK (streamap_block() == 0)
#define STREAMAP_THREAD ((streamap_uint)streamap_block() * streamap_block_threads() + streamap_block_thread())
#define STREAMAP_THREADS ((streamap_uint)streamap_blocks() * streamap_block_threads())

/* What C calls otherwise. */
#define restrict __restrict__
#define _Bool bool
#define _Static_assert static_assert
#define _Alignof alignof
#define _Alignas alignas
#define typeof __typeof__
#define register

#elif defined(STREAMAP_GENERATED_H) /* behind the types of generated.h */

typedef __UINT64_TYPE__ streamap_uint;

/* A loop as the host computes it: the value of iteration t is first + t * step. */
typedef struct streamap_range {
  streamap_int streamap_first;
  streamap_int streamap_step;
  streamap_uint streamap_count;
} streamap_range;

/* The part of a loop that lies in a chunk; arguments as for streamap_loop_first. */
static __inline__ streamap_range streamap_loop_range(streamap_int lower, streamap_int upper, streamap_int step, int relation,
                                                     streamap_chunk chunk) {
  streamap_range range;
  range.streamap_count =
      (streamap_uint)streamap_grid_clip(streamap_loop_grid(lower, upper, step, relation), chunk.lo, chunk.hi).count;
  range.streamap_first = streamap_loop_first(lower, upper, step, relation, chunk);
  range.streamap_step = step;
  return range;
}

/* How a reduction over so many iterations is cut: into groups of `width` lanes each, which take turns in the group's `length`
 * iterations. So threads beside each other read elements beside each other, and a CPU goes straight through memory. A short
 * loop is one lane, which is the serial order. */
typedef struct streamap_cut {
  streamap_uint streamap_lanes; /* a power of 2; 0 without iterations */
  streamap_uint streamap_width;
  streamap_uint streamap_length;
} streamap_cut;

static __inline__ streamap_cut streamap_cut_of(streamap_uint iterations) {
  streamap_cut cut;
  cut.streamap_lanes = iterations == 0 ? 0 : 1;
  cut.streamap_width = 1;
  cut.streamap_length = iterations;
  if (iterations < 1024)
    return cut;
  cut.streamap_width = 32;
  for (cut.streamap_lanes = 32; cut.streamap_lanes < STREAMAP_MOST_LANES && cut.streamap_lanes * 64 <= iterations;)
    cut.streamap_lanes *= 2;
  cut.streamap_length = (iterations - 1) / (cut.streamap_lanes / cut.streamap_width) + 1;
  return cut;
}

/* In a twin the parameter `streamap_thread` says who runs. */
#define STREAMAP_BLOCK_THREAD ((streamap_uint)streamap_thread->thread_index.x)
#define STREAMAP_BLOCK_THREADS ((streamap_uint)streamap_thread->block.x)
#define STREAMAP_FIRST_BLOCK (streamap_thread->block_index.x == 0)
#define STREAMAP_THREAD (streamap_thread->block_index.x * STREAMAP_BLOCK_THREADS + STREAMAP_BLOCK_THREAD)
#define STREAMAP_THREADS (streamap_thread->grid.x * STREAMAP_BLOCK_THREADS)
#define STREAMAP_BARRIER() streamap_thread->barrier(streamap_thread)

typedef unsigned __attribute__((may_alias)) streamap_word_32;
typedef streamap_uint __attribute__((may_alias)) streamap_word_64;

static __inline__ int streamap_exchange_32(void *place, void *expected, const void *desired) {
  return __atomic_compare_exchange_n((streamap_word_32 *)place, (streamap_word_32 *)expected, *(const streamap_word_32 *)desired,
                                     0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
static __inline__ int streamap_exchange_64(void *place, void *expected, const void *desired) {
  return __atomic_compare_exchange_n((streamap_word_64 *)place, (streamap_word_64 *)expected, *(const streamap_word_64 *)desired,
                                     0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
#endif
