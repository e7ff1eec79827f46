// StreamMAP runtime: what the calling thread is running.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/current_task.h"

#include "base/export.h"

namespace streamap {
namespace {

struct ThreadRecord {
  CurrentTask own;
  const CurrentTask *borrowed = nullptr;
};

// initial-exec: no call on access, and safe in a signal handler.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadRecord here;

} // namespace

const CurrentTask &currentTask() {
  return here.borrowed ? *here.borrowed : here.own;
}

TaskScope::TaskScope(EventId task, const TaskShape &shape) : saved_(here.own), savedBorrowed_(here.borrowed) {
  here.borrowed = nullptr;
  here.own = CurrentTask{{shape.lo, shape.hi}, shape.index, shape.count, task, true};
}

TaskScope::~TaskScope() {
  here.own = saved_;
  here.borrowed = savedBorrowed_;
}

// A member, so that a block loop cannot narrow a chunk that is not its own.
void TaskScope::setChunk(std::int64_t lo, std::int64_t hi) {
  here.own.chunk = {lo, hi};
}

const CurrentTask *lendCurrentTask() {
  return insideTask() ? &currentTask() : nullptr;
}

void borrowCurrentTask(const CurrentTask *lent) {
  here.borrowed = lent;
}

} // namespace streamap

using streamap::currentTask;
using streamap::here;

STREAMAP_EXPORT long streamap_task_index(void) {
  return static_cast<long>(currentTask().index);
}

STREAMAP_EXPORT long streamap_task_count(void) {
  return static_cast<long>(currentTask().count);
}

STREAMAP_EXPORT streamap_chunk streamap_current_chunk(void) {
  return currentTask().chunk;
}

// The inline call of a task function is the whole of it: one task, every index. It stays "inside" where the caller is.
STREAMAP_EXPORT void streamap_inline_begin(streamap_frame *saved) {
  const streamap::CurrentTask now = currentTask();
  saved->chunk = now.chunk;
  saved->index = now.index;
  saved->count = now.count;
  saved->reserved = const_cast<streamap::CurrentTask *>(here.borrowed);
  here.borrowed = nullptr;
  here.own = streamap::CurrentTask{{INT64_MIN, INT64_MAX}, 0, 1, now.task, now.inside};
}

STREAMAP_EXPORT void streamap_inline_end(const streamap_frame *saved) {
  here.own.chunk = saved->chunk;
  here.own.index = saved->index;
  here.own.count = saved->count;
  here.borrowed = static_cast<const streamap::CurrentTask *>(saved->reserved);
}
