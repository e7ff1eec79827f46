// StreamMAP runtime: what the calling thread is running.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread has a record of its own. A thread that is created inside a task (an OpenMP team, a user's own thread) borrows the
// record of the thread that created it, so that streamap_task_index() and "am I inside a task?" are right on it as well.
#pragma once

#include <cstdint>

#include "exec/orders.h"

namespace streamap {

/// The task that a thread runs: its share of the launch, and whether it is a task at all.
struct CurrentTask {
  streamap_chunk chunk{INT64_MIN, INT64_MAX};
  std::int64_t index = 0;
  std::int64_t count = 1;
  EventId task = happened; ///< `happened` outside a task
  bool inside = false;
};

/// The calling thread's current task. Any thread; async-signal-safe.
const CurrentTask &currentTask();

/// Whether the calling thread runs a task, so that launches, exit and waits mean something else. Any thread; async-signal-safe.
inline bool insideTask() {
  return currentTask().inside;
}

/// Makes a task the calling thread's current one for as long as this object lives.
class TaskScope {
public:
  TaskScope(EventId task, const TaskShape &shape);
  ~TaskScope();
  TaskScope(const TaskScope &) = delete;
  TaskScope &operator=(const TaskScope &) = delete;

  /// Narrows the chunk to one block of the task.
  void setChunk(std::int64_t lo, std::int64_t hi);

private:
  CurrentTask saved_;
  const CurrentTask *savedBorrowed_;
};

/// The record that a thread created now, here, would borrow: null outside a task.
const CurrentTask *lendCurrentTask();

/// Borrows `lent` (from lendCurrentTask() on the creating thread) for the rest of the calling thread's life. The lender must
/// outlive its use, as slots and main do.
void borrowCurrentTask(const CurrentTask *lent);

} // namespace streamap
