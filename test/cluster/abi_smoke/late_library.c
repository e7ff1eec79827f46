/* A library with a task, which the program loads while it runs.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stddef.h>
#include <string.h>

#include "streamap/abi.h"

struct add_pack {
  long *n;
};

static void add_body(const void *p) {
  ++*((const struct add_pack *)p)->n;
}

static void add_sections(const void *p, streamap_sink *sink) {
  const streamap_axis axis = {0, 0, 1, 0, 0, -1, sizeof(long)};
  streamap_emit(sink, 0, STREAMAP_INOUT, ((const struct add_pack *)p)->n, 1, &axis);
}

static const streamap_item one_task[] = {{STREAMAP_KIND_C, STREAMAP_ITEM_COUNT, 1, 0}};
static const streamap_param params[] = {{"n", offsetof(struct add_pack, n), sizeof(void *), 1, STREAMAP_INOUT, 0, STREAMAP_I64}};
static const streamap_task task = {.abi_version = STREAMAP_ABI_VERSION,
                                   .size = sizeof(streamap_task),
                                   .name = "add",
                                   .file = __FILE__,
                                   .line = __LINE__,
                                   .nitems = 1,
                                   .nparams = 1,
                                   .pack_size = sizeof(struct add_pack),
                                   .items = one_task,
                                   .params = params,
                                   .body = add_body,
                                   .sections = add_sections};
static const streamap_task *const tasks[] = {&task};
static const streamap_unit unit = {STREAMAP_ABI_VERSION, 1, __FILE__, "none", tasks, 0, 0};
__attribute__((constructor)) static void register_unit(void) {
  streamap_register(&unit);
}

/* Returns whether it was launched. */
int late_add(long *n) {
  struct add_pack pack;
  memset(&pack, 0, sizeof pack);
  pack.n = n;
  return !streamap_launch(&task, &pack);
}
