// StreamMAP tests: task functions with descriptors as streamap-cc would write them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test_tasks.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "exec/current_task.h"

extern "C" long streamap_task_index(void);
extern "C" long streamap_task_count(void);

namespace streamap {
namespace {

constexpr std::int64_t wordBytes = sizeof(Word);

Word mix(Word a, Word b) {
  Word x = a * 2654435761u ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2));
  return x ^ (x >> 15);
}

const TestPack &of(const void *pack) {
  return *static_cast<const TestPack *>(pack);
}

streamap_axis axis(std::int64_t lower, std::int64_t length, std::int64_t pitch = wordBytes) {
  return {lower, 0, length, 0, 0, -1, pitch};
}

template <std::size_t N>
void emit(streamap_sink *sink, std::uint32_t param, std::uint32_t access, const void *base,
          const std::array<streamap_axis, N> &axes) {
  streamap_emit(sink, param, access, base, N, axes.data());
}

enum Param : std::uint32_t { A, B, S };

streamap_grid grid(const TestPack &p) {
  return streamap_loop_grid(p.first, p.last, p.step, p.step > 0 ? STREAMAP_LOOP_LT : STREAMAP_LOOP_GT);
}

/// Which part of a task a call of its body does: all of it for the C version, in serial order; one thread's part for the G
/// version.
struct Share {
  streamap_chunk chunk;
  std::int64_t index, count;
  std::int64_t thread = 0, threads = 0; ///< no threads: the C version
};

/// Calls body(i) for the share's indices of the split loop.
template <class Body> void loop(const TestPack &p, const Share &share, Body body) {
  streamap_chunk chunk = share.chunk;
  if (share.threads > 0) {
    const streamap_grid mine = streamap_grid_clip(grid(p), chunk.lo, chunk.hi);
    for (std::int64_t k = share.thread; k < mine.count; k += share.threads)
      body(mine.first + k * mine.step);
    return;
  }
  int relation = p.step > 0 ? STREAMAP_LOOP_LT : STREAMAP_LOOP_GT;
  std::int64_t bound = streamap_loop_bound(p.first, p.last, p.step, relation, chunk);
  for (std::int64_t i = streamap_loop_first(p.first, p.last, p.step, relation, chunk); p.step > 0 ? i < bound : i > bound;
       i += p.step)
    body(i);
}

std::uint32_t splitGrids(const void *pack, streamap_grid *out, std::uint32_t capacity) {
  if (capacity > 0)
    out[0] = grid(of(pack));
  return 1;
}

void counts(const void *pack, std::int64_t *out) {
  out[0] = of(pack).count;
  out[1] = of(pack).gpuCount;
}
std::int64_t priorityOf(const void *pack) {
  return of(pack).priority;
}
std::int64_t coresOf(const void *pack) {
  return of(pack).cores;
}

void mixBody(const TestPack &p, const Share &) {
  Word all = p.salt;
  for (std::int64_t k = 0; k < p.aLength; ++k)
    all = mix(all, p.a[p.aLower + k]);
  for (std::int64_t k = 0; k < p.bLength; ++k)
    p.b[p.bLower + k] = mix(all + static_cast<Word>(k), p.b[p.bLower + k]);
}
void mixSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, A, STREAMAP_IN, p.a, {axis(p.aLower, p.aLength)});
  emit<1>(sink, B, STREAMAP_INOUT, p.b, {axis(p.bLower, p.bLength)});
}

void fillBody(const TestPack &p, const Share &) {
  std::vector<Word> read(p.a + p.aLower, p.a + p.aLower + std::max<std::int64_t>(p.aLength, 0));
  Word all = p.salt;
  for (Word word : read)
    all = mix(all, word);
  for (std::int64_t k = 0; k < p.bLength; ++k)
    p.b[p.bLower + k] = mix(all, static_cast<Word>(k));
}
void fillSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, A, STREAMAP_IN, p.a, {axis(p.aLower, p.aLength)});
  emit<1>(sink, B, STREAMAP_OUT, p.b, {axis(p.bLower, p.bLength)});
}

void stencilBody(const TestPack &p, const Share &share) {
  loop(p, share, [&](std::int64_t i) {
    Word all = p.salt;
    for (std::int64_t k = std::max<std::int64_t>(i - 1, 0); k < std::min(i + 2, p.aLength); ++k)
      all = mix(all, p.a[k]);
    p.b[i] = mix(all, p.b[i]);
  });
}
void stencilSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, A, STREAMAP_IN, p.a, {streamap_axis{-1, 1, 3, 0, 0, p.aLength, wordBytes}});
  emit<1>(sink, B, STREAMAP_INOUT, p.b, {streamap_axis{0, 1, 1, 0, 0, -1, wordBytes}});
}

void stridedBody(const TestPack &p, const Share &share) {
  loop(p, share, [&](std::int64_t i) {
    for (std::int64_t k = 0; k < p.bLength; ++k) {
      Word &word = p.b[i * p.pitch + k];
      word = mix(word, p.a[2 * i] + p.a[2 * i + 1]);
    }
  });
}
void stridedSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, A, STREAMAP_IN, p.a, {streamap_axis{0, 2, 2, 0, 0, -1, wordBytes}});
  emit<1>(sink, B, STREAMAP_INOUT, p.b, {streamap_axis{0, p.pitch, p.bLength, 0, 0, -1, wordBytes}});
}

void columnsBody(const TestPack &p, const Share &) {
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t k = 0; k < p.bLength; ++k) {
      Word &word = p.b[row * p.pitch + p.bLower + k];
      word = mix(word, p.salt + static_cast<Word>(row));
    }
}
void columnsSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<2>(sink, B, STREAMAP_INOUT, p.b, {axis(0, p.rows, p.pitch * wordBytes), axis(p.bLower, p.bLength)});
}

void numberedBody(const TestPack &p, const Share &share) {
  std::int64_t number = share.index;
  for (std::int64_t k = 0; k < p.bLength; ++k) {
    Word &word = p.b[p.bLower + number * p.bLength + k];
    word = mix(word, p.salt + static_cast<Word>(number * 100 + share.count));
  }
}
void numberedSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, B, STREAMAP_INOUT, p.b, {axis(p.bLower + streamap_task_index() * p.bLength, p.bLength)});
}

void sumBody(const TestPack &p, const Share &share) {
  loop(p, share, [&](std::int64_t i) {
    p.b[i] = mix(p.a[i], p.b[i]);
    for (std::int64_t k = 0; k < p.sLength; ++k)
      p.s[p.sLower + k] += mix(p.a[i], static_cast<Word>(k));
  });
}
void sumSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, A, STREAMAP_IN, p.a, {streamap_axis{0, 1, 1, 0, 0, -1, wordBytes}});
  emit<1>(sink, B, STREAMAP_INOUT, p.b, {streamap_axis{0, 1, 1, 0, 0, -1, wordBytes}});
  emit<1>(sink, S, STREAMAP_REDUCTION, p.s, {axis(p.sLower, p.sLength)});
}

void xorBody(const TestPack &p, const Share &share) {
  loop(p, share, [&](std::int64_t i) {
    for (std::int64_t k = 0; k < p.sLength; ++k)
      p.s[p.sLower + k] ^= mix(p.a[i], static_cast<Word>(k) + p.salt);
  });
}
void xorSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, A, STREAMAP_IN, p.a, {streamap_axis{0, 1, 1, 0, 0, -1, wordBytes}});
  emit<1>(sink, S, STREAMAP_REDUCTION, p.s, {axis(p.sLower, p.sLength)});
}

void doubleSumBody(const TestPack &p, const Share &share) {
  auto *a = reinterpret_cast<const double *>(p.a);
  auto *s = reinterpret_cast<double *>(p.s);
  loop(p, share, [&](std::int64_t i) { *s += a[i]; });
}
void doubleSumSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, A, STREAMAP_IN, p.a, {streamap_axis{0, 1, 1, 0, 0, -1, sizeof(double)}});
  emit<1>(sink, S, STREAMAP_REDUCTION, p.s, {axis(0, 1, sizeof(double))});
}

void failingBody(const void *) {
  throw std::runtime_error("no luck");
}
void failingSections(const void *pack, streamap_sink *sink) {
  const TestPack &p = of(pack);
  emit<1>(sink, A, STREAMAP_INOUT, p.a, {axis(p.aLower, p.aLength)});
}

// ---- The two versions of a body
// ---------------------------------------------------------------------------------------------

using Body = void (*)(const TestPack &, const Share &);

template <Body body> void onHost(const void *pack) {
  body(of(pack), {streamap_current_chunk(), streamap_task_index(), streamap_task_count()});
}

/// The kernel: a loop's indices are shared out over the threads; what has no loop is done by the first.
template <Body body, bool hasLoop> void twin(streamap_twin_thread *thread, void *const *arguments) {
  Share share = *static_cast<const Share *>(arguments[1]);
  share.thread = std::int64_t{thread->block_index.x} * thread->block.x + thread->thread_index.x;
  share.threads = std::int64_t{thread->grid.x} * thread->block.x;
  if (hasLoop || share.thread == 0)
    body(*static_cast<const TestPack *>(arguments[0]), share);
}

template <bool hasLoop> void onDevice(const void *pack, streamap_device *device) {
  TestPack p = of(pack);
  Share share{streamap_current_chunk(), streamap_task_index(), streamap_task_count()};
  const std::int64_t iterations = hasLoop ? streamap_grid_clip(grid(p), share.chunk.lo, share.chunk.hi).count : 1;
  void *arguments[] = {&p, &share};
  streamap_device_launch(device, 0, static_cast<std::uint64_t>(iterations), arguments);
}

constexpr std::array<std::uint32_t, 2> argumentSizes{sizeof(TestPack), sizeof(Share)};

template <Body body, bool hasLoop> const streamap_images *imagesOf() {
  static const streamap_kernel kernel{"kernel", 0, 2, argumentSizes.data(), 8, 0, twin<body, hasLoop>};
  static const streamap_image image{STREAMAP_IMAGE_TWINS, 1, &kernel, nullptr, nullptr};
  static const streamap_images images{sizeof(streamap_images), 1, 1, &kernel, &image, onDevice<hasLoop>};
  return &images;
}

template <std::uint8_t Operator, std::uint8_t Scalar = STREAMAP_U32> const std::array<streamap_param, 3> &params() {
  static const std::array<streamap_param, 3> all{{
      {"a", offsetof(TestPack, a), 8, 1, STREAMAP_IN, 0, 0},
      {"b", offsetof(TestPack, b), 8, 1, STREAMAP_INOUT, 0, 0},
      {"s", offsetof(TestPack, s), 8, 1, Operator ? STREAMAP_REDUCTION : 0, Operator, Operator ? Scalar : 0},
  }};
  return all;
}

TestTask *make(const char *name, std::uint32_t line, void (*body)(const void *), void (*sections)(const void *, streamap_sink *),
               bool split, const std::array<streamap_param, 3> &parameters) {
  auto *task = new TestTask;
  task->items.push_back({STREAMAP_KIND_C, STREAMAP_ITEM_EXPRESSION, 0, 0});
  task->items.push_back({STREAMAP_KIND_G, STREAMAP_ITEM_EXPRESSION, 0, 0});
  streamap_task &d = task->descriptor;
  d.abi_version = STREAMAP_ABI_VERSION;
  d.size = sizeof d;
  d.name = name;
  d.file = "test.c";
  d.line = line;
  d.flags = split ? STREAMAP_FLAG_SPLIT : 0;
  d.nitems = 2;
  d.nparams = static_cast<std::uint32_t>(parameters.size());
  d.pack_size = sizeof(TestPack);
  d.items = task->items.data();
  d.params = parameters.data();
  d.body = body;
  d.counts = counts;
  d.grids = split ? splitGrids : nullptr;
  d.sections = sections;
  d.priority = priorityOf;
  d.cores = coresOf;
  return task;
}

template <Body body, bool split>
TestTask *makeBoth(const char *name, std::uint32_t line, void (*sections)(const void *, streamap_sink *),
                   const std::array<streamap_param, 3> &parameters) {
  TestTask *task = make(name, line, onHost<body>, sections, split, parameters);
  task->descriptor.images = imagesOf<body, split>();
  return task;
}

} // namespace

void TestTask::runSerially(const TestPack &pack, std::int64_t tasks) const {
  for (std::int64_t k = 0; k < tasks; ++k) {
    TaskShape shape;
    shape.index = k;
    shape.count = tasks;
    TaskScope scope(happened, shape);
    descriptor.body(&pack);
  }
}

TestTask &mixTask() {
  static TestTask *const task = makeBoth<mixBody, false>("mix", 1, mixSections, params<0>());
  return *task;
}
TestTask &fillTask() {
  static TestTask *const task = makeBoth<fillBody, false>("fill", 2, fillSections, params<0>());
  return *task;
}
TestTask &stencilTask() {
  static TestTask *const task = makeBoth<stencilBody, true>("stencil", 3, stencilSections, params<0>());
  return *task;
}
TestTask &stridedTask() {
  static TestTask *const task = makeBoth<stridedBody, true>("strided", 4, stridedSections, params<0>());
  return *task;
}
TestTask &columnsTask() {
  static TestTask *const task = makeBoth<columnsBody, false>("columns", 5, columnsSections, params<0>());
  return *task;
}
TestTask &numberedTask() {
  static TestTask *const task = makeBoth<numberedBody, false>("numbered", 6, numberedSections, params<0>());
  return *task;
}
TestTask &sumTask() {
  static TestTask *const task = makeBoth<sumBody, true>("sum", 7, sumSections, params<STREAMAP_OP_ADD>());
  return *task;
}
TestTask &xorTask() {
  static TestTask *const task = makeBoth<xorBody, true>("xor", 8, xorSections, params<STREAMAP_OP_BITXOR>());
  return *task;
}

TestTask &doubleSumTask() {
  static TestTask *const task =
      make("double_sum", 9, onHost<doubleSumBody>, doubleSumSections, true, params<STREAMAP_OP_ADD, STREAMAP_F64>());
  return *task;
}
TestTask &failingTask() {
  static TestTask *const task = make("failing", 10, failingBody, failingSections, false, params<0>());
  return *task;
}

void registerTestTasks() {
  static const std::vector<const streamap_task *> tasks{&mixTask().descriptor,     &fillTask().descriptor,
                                                        &stencilTask().descriptor, &numberedTask().descriptor,
                                                        &sumTask().descriptor,     &xorTask().descriptor};
  static const streamap_unit unit{
      STREAMAP_ABI_VERSION, static_cast<std::uint32_t>(tasks.size()), __FILE__, "none", tasks.data(), nullptr, nullptr};
  static const bool once = (streamap_register(&unit), true);
  (void)once;
}

} // namespace streamap
