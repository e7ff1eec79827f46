/* StreamMAP: the header that programs include.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Under streamap-cc the functions below are libstreamap's. Under any other compiler they have their serial meaning, inline, so
 * that an annotated program also builds and runs with plain cc and without the library.
 */
#ifndef STREAMAP_STREAMAP_H
#define STREAMAP_STREAMAP_H

#ifdef __STREAMAP__

#ifdef __cplusplus
extern "C" {
#endif

/* The number of the running task among the tasks of its launch, 0 <= number < count; 0 outside a task. Any thread. */
long streamap_task_index(void);

/* How many tasks the launch has; 1 outside a task. Any thread. */
long streamap_task_count(void);

#ifdef __cplusplus
}
#endif

#else /* another compiler: the serial program */

static inline long streamap_task_index(void) {
  return 0;
}
static inline long streamap_task_count(void) {
  return 1;
}

/* A header that defines inline tasks includes this one. An object of another compiler that saw it holds plain bodies where the
 * program's other objects hold tasks; the runtime finds the mark below at start and names the file to recompile. */
#if defined(__ELF__) && defined(__INCLUDE_LEVEL__) && defined(__BASE_FILE__)
#if __INCLUDE_LEVEL__ > 1
__attribute__((used, section("streamap_plain"))) static const char *const streamap_plain_unit = __BASE_FILE__;
#endif
#endif

#endif
#endif
