/* StreamMAP: what the text written by streamap-cc leans on, beside abi.h.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * streamap-cc includes this in front of everything else. It declares only names that begin with streamap_ or STREAMAP_, includes
 * no system header (the program's own feature-test macros must still come first), and names no member where a macro of the
 * program could replace it.
 */
#ifndef STREAMAP_GENERATED_H
#define STREAMAP_GENERATED_H

/* abi.h speaks of int64_t and its like; here they are the compiler's own types of the same name, for the length of that header.
 */
#pragma push_macro("int64_t")
#pragma push_macro("uint64_t")
#pragma push_macro("uint32_t")
#pragma push_macro("uint16_t")
#pragma push_macro("uint8_t")
#undef int64_t
#undef uint64_t
#undef uint32_t
#undef uint16_t
#undef uint8_t
#define int64_t __INT64_TYPE__
#define uint64_t __UINT64_TYPE__
#define uint32_t __UINT32_TYPE__
#define uint16_t __UINT16_TYPE__
#define uint8_t __UINT8_TYPE__
#define STREAMAP_ABI_WITHOUT_STDINT
#include <streamap/abi.h>
#undef STREAMAP_ABI_WITHOUT_STDINT
#pragma pop_macro("int64_t")
#pragma pop_macro("uint64_t")
#pragma pop_macro("uint32_t")
#pragma pop_macro("uint16_t")
#pragma pop_macro("uint8_t")

#ifdef __cplusplus
extern "C" {
#endif

typedef __INT64_TYPE__ streamap_int;
typedef __UINT8_TYPE__ streamap_byte;

/* ---- How a task function begins ------------------------------------------------------------------------------------------- */
/* A call of a task function launches and returns. The same function is also the body: the thunk `body` raises the task's `direct`
 * flag just before it calls, and where a launch is not possible (inside a task, before main) the call goes on into the body
 * itself, between streamap_inline_begin and, however the body is left, streamap_inline_end. */

typedef struct streamap_entry {
  streamap_frame frame;
  int active; /* streamap_inline_begin has been called */
} streamap_entry;

#define STREAMAP_NOT_ENTERED {{{0, 0}, 0, 0, 0}, 0}

static __inline__ void streamap_enter_inline(streamap_entry *entry) {
  streamap_inline_begin(&entry->frame);
  entry->active = 1;
}

static __inline__ void streamap_leave(streamap_entry *entry) {
  if (entry->active)
    streamap_inline_end(&entry->frame);
}

/* The first declaration of a body; CALL is 1 when the tasks have been launched. Declarations, so that the user's may follow in
 * C90. */
#define STREAMAP_ENTER(CALL)                                                                                                     \
  streamap_entry streamap_entered __attribute__((cleanup(streamap_leave))) = STREAMAP_NOT_ENTERED;                               \
  const int streamap_here __attribute__((unused)) = __extension__({                                                              \
    if (CALL)                                                                                                                    \
      return;                                                                                                                    \
    1;                                                                                                                           \
  })

/* The same for a split body, whose loops run over streamap_part. */
#define STREAMAP_ENTER_SPLIT(CALL)                                                                                               \
  streamap_entry streamap_entered __attribute__((cleanup(streamap_leave))) = STREAMAP_NOT_ENTERED;                               \
  const streamap_chunk streamap_part = __extension__({                                                                           \
    if (CALL)                                                                                                                    \
      return;                                                                                                                    \
    streamap_current_chunk();                                                                                                    \
  })

/* ---- Tables --------------------------------------------------------------------------------------------------------------- */

#define STREAMAP_UNKNOWN_EXTENT (-1)

/* One dimension of a section: its lower bound and length at index 0 and at index 1, its extent (length < 0: unknown), and bytes
 * from one element to the next. */
static __inline__ void streamap_axis_set(streamap_axis *axis, streamap_int lower0, streamap_int length0, streamap_int lower1,
                                         streamap_int length1, streamap_int extent_lower, streamap_int extent_length,
                                         streamap_int pitch) {
  axis->lower = lower0;
  axis->lower_step = lower1 - lower0;
  axis->length = length0;
  axis->length_step = length1 - length0;
  axis->extent_lower = extent_lower;
  axis->extent_length = extent_length;
  axis->pitch = pitch;
}

/* One region of wait on and discard. */
static __inline__ void streamap_region_set(streamap_region *region, const volatile void *base, unsigned naxes,
                                           const streamap_axis *axes) {
  region->base = (const void *)base;
  region->naxes = naxes;
  region->axes = axes;
}

#include <streamap/kernel.h>

#ifdef __cplusplus
}
#include <streamap/generated_cxx.h>
#endif
#endif
