/* The C ABI without a compiler: descriptors written by hand, as generated code has them. One program, run on 1 to 4 ranks; it
 * checks its own answers and ends with 0, or says what is wrong.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <dlfcn.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamap/abi.h"

int MPI_Init(int *, char ***);

/* Bodies that ran where they were called. None may, between the start of main and the last wait. */
static int inlined;

/* ---- y[i] += a * x[i], split ---------------------------------------------------------------------------------------------- */

struct saxpy_pack {
  size_t n;
  float a;
  const float *x;
  float *y;
};

static void saxpy_body(const void *p) {
  const struct saxpy_pack *pack = p;
  const streamap_chunk chunk = streamap_current_chunk();
  int64_t i, end = streamap_loop_bound(0, (int64_t)pack->n, 1, STREAMAP_LOOP_LT, chunk);
  for (i = streamap_loop_first(0, (int64_t)pack->n, 1, STREAMAP_LOOP_LT, chunk); i < end; i++)
    pack->y[i] += pack->a * pack->x[i];
}

static uint32_t saxpy_grids(const void *p, streamap_grid *out, uint32_t capacity) {
  const struct saxpy_pack *pack = p;
  if (capacity >= 1)
    out[0] = streamap_loop_grid(0, (int64_t)pack->n, 1, STREAMAP_LOOP_LT);
  return 1;
}

/* element i of a float array of unknown extent */
static streamap_axis element_i(void) {
  const streamap_axis axis = {0, 1, 1, 0, 0, -1, sizeof(float)};
  return axis;
}

static void saxpy_sections(const void *p, streamap_sink *sink) {
  const struct saxpy_pack *pack = p;
  const streamap_axis axis = element_i();
  streamap_emit(sink, 2, STREAMAP_IN, pack->x, 1, &axis);
  streamap_emit(sink, 3, STREAMAP_INOUT, pack->y, 1, &axis);
}

static const streamap_item four_tasks[] = {{STREAMAP_KIND_C, STREAMAP_ITEM_COUNT, 4, 0}};
static const streamap_item one_task[] = {{STREAMAP_KIND_C, STREAMAP_ITEM_COUNT, 1, 0}};

static const streamap_param saxpy_params[] = {
    {"n", offsetof(struct saxpy_pack, n), sizeof(size_t), 0, 0, 0, 0},
    {"a", offsetof(struct saxpy_pack, a), sizeof(float), 0, 0, 0, 0},
    {"x", offsetof(struct saxpy_pack, x), sizeof(void *), 1, STREAMAP_IN, 0, STREAMAP_F32},
    {"y", offsetof(struct saxpy_pack, y), sizeof(void *), 1, STREAMAP_INOUT, 0, STREAMAP_F32},
};

const streamap_task streamap_task_saxpy = {.abi_version = STREAMAP_ABI_VERSION,
                                           .size = sizeof(streamap_task),
                                           .name = "saxpy",
                                           .file = __FILE__,
                                           .line = __LINE__,
                                           .flags = STREAMAP_FLAG_SPLIT,
                                           .nitems = 1,
                                           .nparams = 4,
                                           .pack_size = sizeof(struct saxpy_pack),
                                           .items = four_tasks,
                                           .params = saxpy_params,
                                           .body = saxpy_body,
                                           .grids = saxpy_grids,
                                           .sections = saxpy_sections};

static void saxpy(size_t n, float a, const float *x, float *y) {
  struct saxpy_pack pack;
  memset(&pack, 0, sizeof pack);
  pack.n = n;
  pack.a = a;
  pack.x = x;
  pack.y = y;
  if (streamap_launch(&streamap_task_saxpy, &pack)) {
    streamap_frame saved;
    inlined++;
    streamap_inline_begin(&saved);
    saxpy_body(&pack);
    streamap_inline_end(&saved);
  }
}

/* ---- n[0] = 3 * n[0] + k, one task: a chain -------------------------------------------------------------------------------- */

struct step_pack {
  long k;
  long *n;
  size_t length;
};

static void step_body(const void *p) {
  const struct step_pack *pack = p;
  size_t i;
  for (i = 0; i < pack->length; i++)
    pack->n[i] = 3 * pack->n[i] + pack->k;
}

static void step_sections(const void *p, streamap_sink *sink) {
  const struct step_pack *pack = p;
  const streamap_axis axis = {0, 0, (int64_t)pack->length, 0, 0, -1, sizeof(long)};
  streamap_emit(sink, 1, STREAMAP_INOUT, pack->n, 1, &axis);
}

static const streamap_param step_params[] = {
    {"k", offsetof(struct step_pack, k), sizeof(long), 0, 0, 0, 0},
    {"n", offsetof(struct step_pack, n), sizeof(void *), 1, STREAMAP_INOUT, 0, STREAMAP_I64},
    {"length", offsetof(struct step_pack, length), sizeof(size_t), 0, 0, 0, 0},
};

const streamap_task streamap_task_step = {.abi_version = STREAMAP_ABI_VERSION,
                                          .size = sizeof(streamap_task),
                                          .name = "step",
                                          .file = __FILE__,
                                          .line = __LINE__,
                                          .nitems = 1,
                                          .nparams = 3,
                                          .pack_size = sizeof(struct step_pack),
                                          .items = one_task,
                                          .params = step_params,
                                          .body = step_body,
                                          .sections = step_sections};

static void step(long k, long *n, size_t length) {
  struct step_pack pack;
  memset(&pack, 0, sizeof pack);
  pack.k = k;
  pack.n = n;
  pack.length = length;
  if (streamap_launch(&streamap_task_step, &pack)) {
    streamap_frame saved;
    inlined++;
    streamap_inline_begin(&saved);
    step_body(&pack);
    streamap_inline_end(&saved);
  }
}

/* ---- total += sum of x, split, with fixed blocks ----------------------------------------------------------------------------
 */

struct sum_pack {
  size_t n;
  const double *x;
  double *total;
};

static void sum_body(const void *p) {
  const struct sum_pack *pack = p;
  const streamap_chunk chunk = streamap_current_chunk();
  int64_t i, end = streamap_loop_bound(0, (int64_t)pack->n, 1, STREAMAP_LOOP_LT, chunk);
  for (i = streamap_loop_first(0, (int64_t)pack->n, 1, STREAMAP_LOOP_LT, chunk); i < end; i++)
    *pack->total += pack->x[i];
}

static uint32_t sum_grids(const void *p, streamap_grid *out, uint32_t capacity) {
  const struct sum_pack *pack = p;
  if (capacity >= 1)
    out[0] = streamap_loop_grid(0, (int64_t)pack->n, 1, STREAMAP_LOOP_LT);
  return 1;
}

static void sum_sections(const void *p, streamap_sink *sink) {
  const struct sum_pack *pack = p;
  const streamap_axis x = {0, 1, 1, 0, 0, -1, sizeof(double)};
  const streamap_axis total = {0, 0, 1, 0, 0, -1, sizeof(double)};
  streamap_emit(sink, 1, STREAMAP_IN, pack->x, 1, &x);
  streamap_emit(sink, 2, STREAMAP_REDUCTION, pack->total, 1, &total);
}

static const streamap_param sum_params[] = {
    {"n", offsetof(struct sum_pack, n), sizeof(size_t), 0, 0, 0, 0},
    {"x", offsetof(struct sum_pack, x), sizeof(void *), 1, STREAMAP_IN, 0, STREAMAP_F64},
    {"total", offsetof(struct sum_pack, total), sizeof(void *), 1, STREAMAP_REDUCTION, STREAMAP_OP_ADD, STREAMAP_F64},
};

const streamap_task streamap_task_sum = {.abi_version = STREAMAP_ABI_VERSION,
                                         .size = sizeof(streamap_task),
                                         .name = "sum",
                                         .file = __FILE__,
                                         .line = __LINE__,
                                         .flags = STREAMAP_FLAG_SPLIT,
                                         .nitems = 1,
                                         .nparams = 3,
                                         .pack_size = sizeof(struct sum_pack),
                                         .items = four_tasks,
                                         .params = sum_params,
                                         .body = sum_body,
                                         .grids = sum_grids,
                                         .sections = sum_sections};

static void sum(size_t n, const double *x, double *total) {
  struct sum_pack pack;
  memset(&pack, 0, sizeof pack);
  pack.n = n;
  pack.x = x;
  pack.total = total;
  if (streamap_launch(&streamap_task_sum, &pack)) {
    streamap_frame saved;
    inlined++;
    streamap_inline_begin(&saved);
    sum_body(&pack);
    streamap_inline_end(&saved);
  }
}

/* ---- found[0] = whether x[i] == i for all i -------------------------------------------------------------------------------- */

struct look_pack {
  const double *x;
  size_t length;
  long *found;
};

static void look_body(const void *p) {
  const struct look_pack *pack = p;
  size_t i;
  *pack->found = 1;
  for (i = 0; i < pack->length; i++)
    if (pack->x[i] != (double)i)
      *pack->found = 0;
}

static void look_sections(const void *p, streamap_sink *sink) {
  const struct look_pack *pack = p;
  const streamap_axis x = {0, 0, (int64_t)pack->length, 0, 0, -1, sizeof(double)};
  const streamap_axis found = {0, 0, 1, 0, 0, -1, sizeof(long)};
  streamap_emit(sink, 0, STREAMAP_IN, pack->x, 1, &x);
  streamap_emit(sink, 2, STREAMAP_OUT, pack->found, 1, &found);
}

static const streamap_param look_params[] = {
    {"x", offsetof(struct look_pack, x), sizeof(void *), 1, STREAMAP_IN, 0, STREAMAP_F64},
    {"length", offsetof(struct look_pack, length), sizeof(size_t), 0, 0, 0, 0},
    {"found", offsetof(struct look_pack, found), sizeof(void *), 1, STREAMAP_OUT, 0, STREAMAP_I64},
};

const streamap_task streamap_task_look = {.abi_version = STREAMAP_ABI_VERSION,
                                          .size = sizeof(streamap_task),
                                          .name = "look",
                                          .file = __FILE__,
                                          .line = __LINE__,
                                          .nitems = 1,
                                          .nparams = 3,
                                          .pack_size = sizeof(struct look_pack),
                                          .items = one_task,
                                          .params = look_params,
                                          .body = look_body,
                                          .sections = look_sections};

static void look(const double *x, size_t length, long *found) {
  struct look_pack pack;
  memset(&pack, 0, sizeof pack);
  pack.x = x;
  pack.length = length;
  pack.found = found;
  inlined += streamap_launch(&streamap_task_look, &pack);
}

/* ---- n[0] = 1 where characters may have several bytes
 * ----------------------------------------------------------------------------- */

static void multibyte_body(const void *p) {
  const struct step_pack *pack = p;
  pack->n[0] = MB_CUR_MAX > 1;
}

const streamap_task streamap_task_multibyte = {.abi_version = STREAMAP_ABI_VERSION,
                                               .size = sizeof(streamap_task),
                                               .name = "multibyte",
                                               .file = __FILE__,
                                               .line = __LINE__,
                                               .nitems = 1,
                                               .nparams = 3,
                                               .pack_size = sizeof(struct step_pack),
                                               .items = one_task,
                                               .params = step_params,
                                               .body = multibyte_body,
                                               .sections = step_sections};

/* ---- one that goes wrong -------------------------------------------------------------------------------------------------- */

static void crash_body(const void *p) {
  const struct step_pack *pack = p;
  volatile uintptr_t nowhere = 16;
  if (pack->k == 3)
    exit(3);
  *(volatile int *)nowhere = 1;
}

const streamap_task streamap_task_crash = {.abi_version = STREAMAP_ABI_VERSION,
                                           .size = sizeof(streamap_task),
                                           .name = "crash",
                                           .file = __FILE__,
                                           .line = __LINE__,
                                           .nitems = 1,
                                           .nparams = 3,
                                           .pack_size = sizeof(struct step_pack),
                                           .items = one_task,
                                           .params = step_params,
                                           .body = crash_body,
                                           .sections = step_sections};

/* --------------------------------------------------------------------------------------------------------------------------- */

static const streamap_task *const tasks[] = {&streamap_task_saxpy, &streamap_task_step,      &streamap_task_sum,
                                             &streamap_task_crash, &streamap_task_multibyte, &streamap_task_look};
static const streamap_unit unit = {STREAMAP_ABI_VERSION, 6, __FILE__, "none", tasks, 0, 0};
__attribute__((constructor)) static void register_unit(void) {
  streamap_register(&unit);
}

static void die(const char *what, size_t i, double is, double should) {
  fprintf(stderr, "abi_smoke: %s[%zu] is %g, not %g\n", what, i, is, should);
  exit(EXIT_FAILURE);
}

static void check_saxpy(size_t n) {
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  size_t i;
  for (i = 0; i < n; i++) {
    x[i] = (float)(i % 7);
    y[i] = (float)(i % 5);
  }
  saxpy(n, 2.0f, x, y);
  saxpy(n, 3.0f, x, y);
  streamap_wait();
  for (i = 0; i < n; i++)
    if (y[i] != (float)(i % 5) + 5.0f * (float)(i % 7))
      die("y", i, y[i], (double)(i % 5) + 5.0 * (double)(i % 7));
  x[n / 2] = 100.0f; /* main may change what it was given back */
  saxpy(n, 1.0f, x, y);
  streamap_wait();
  for (i = 0; i < n; i++) {
    const float should = (float)(i % 5) + 5.0f * (float)(i % 7) + (i == n / 2 ? 100.0f : (float)(i % 7));
    if (y[i] != should)
      die("y after a change", i, y[i], should);
  }
  free(x);
  free(y);
}

static void check_chain(long steps, size_t length) {
  long *n = calloc(length, sizeof *n);
  long k;
  unsigned long should = 0;
  for (k = 0; k < steps; k++) {
    step(k, n, length);
    should = 3 * should + (unsigned long)k;
  }
  streamap_wait();
  if ((unsigned long)n[0] != should || (unsigned long)n[length - 1] != should)
    die("n", 0, (double)n[0], (double)should);
  free(n);
}

static void check_sum(size_t n) {
  double *x = malloc(n * sizeof *x), total = 1.0;
  size_t i;
  for (i = 0; i < n; i++)
    x[i] = 0.5;
  sum(n, x, &total);
  sum(n, x, &total);
  streamap_wait();
  if (total != 1.0 + (double)n)
    die("total", 0, total, 1.0 + (double)n);
  free(x);
}

/* Large runs go in chunks; a task on half of it, then on all. */
static void check_large(size_t length) {
  long *n = calloc(length, sizeof *n);
  size_t i;
  step(5, n, length / 2);
  step(7, n, length);
  streamap_wait();
  for (i = 0; i < length; i++)
    if (n[i] != (i < length / 2 ? 22 : 7))
      die("large", i, (double)n[i], i < length / 2 ? 22 : 7);
  free(n);
}

static void check_library(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  int (*late_add)(long *) = library ? (int (*)(long *))dlsym(library, "late_add") : 0;
  long n = 4;
  int i;
  if (!late_add) {
    fprintf(stderr, "abi_smoke: %s\n", dlerror());
    exit(EXIT_FAILURE);
  }
  for (i = 0; i < 5; i++)
    inlined += !late_add(&n);
  streamap_wait();
  if (n != 9)
    die("n", 0, (double)n, 9);
}

/* x is read by each of ten launches, with a wait between them, and never changed. */
static void check_unchanged(void) {
  static double x[100000];
  static long n[10];
  int i;
  for (i = 0; i < 100000; i++)
    x[i] = i;
  for (i = 0; i < 10; i++) {
    look(x, 100000, &n[i]);
    streamap_wait();
    if (n[i] != 1)
      die("look", (size_t)i, (double)n[i], 1);
  }
}

/* What main sets holds in tasks that are launched later. */
static void check_locale(void) {
  struct step_pack pack;
  static long n[1];
  if (!setlocale(LC_CTYPE, "C.UTF-8")) { /* glibc has it built in */
    fprintf(stderr, "abi_smoke: there is no C.UTF-8\n");
    exit(EXIT_FAILURE);
  }
  memset(&pack, 0, sizeof pack);
  pack.n = n;
  pack.length = 1;
  inlined += streamap_launch(&streamap_task_multibyte, &pack);
  streamap_wait();
  if (n[0] != 1)
    die("multibyte", 0, (double)n[0], 1);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "all";
  const long amount = argc > 2 ? atol(argv[2]) : 0;
  if (strcmp(what, "none") == 0)
    return 0;
  if (strcmp(what, "saxpy") == 0 || strcmp(what, "all") == 0)
    check_saxpy(amount ? (size_t)amount : 100003);
  if (strcmp(what, "chain") == 0 || strcmp(what, "all") == 0)
    check_chain(amount ? amount : 200, 1000);
  if (strcmp(what, "sum") == 0 || strcmp(what, "all") == 0)
    check_sum(amount ? (size_t)amount : 200000);
  if (strcmp(what, "large") == 0)
    check_large((size_t)amount);
  if (strcmp(what, "library") == 0)
    check_library(argv[2]);
  if (strcmp(what, "unchanged") == 0)
    check_unchanged();
  if (strcmp(what, "locale") == 0)
    check_locale();
  if (strcmp(what, "mpi") == 0) /* must not return: main is not annotated */
    MPI_Init(0, 0);
  if (strcmp(what, "outstanding") == 0) { /* exit completes them */
    static long n[1000];
    long k;
    for (k = 0; k < 50; k++)
      step(k, n, 1000);
    exit(0);
  }
  if (strcmp(what, "crash") == 0) { /* amount 3: the task calls exit(3) */
    static struct step_pack pack;
    static long n[4];
    pack.k = amount;
    pack.n = n;
    pack.length = 4;
    if (streamap_launch(&streamap_task_crash, &pack))
      inlined++;
    step(1, n, 4); /* must never run */
    streamap_wait();
    fprintf(stderr, "abi_smoke: went on after a crash\n");
    return 0;
  }
  if (inlined) {
    fprintf(stderr, "abi_smoke: %d calls ran inline\n", inlined);
    return EXIT_FAILURE;
  }
  printf("abi_smoke %s: right\n", what);
  return 0;
}
