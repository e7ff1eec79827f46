// StreamMAP runtime: which tasks may run side by side on one processor.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstdint>

#include "base/bytes.h"

namespace streamap {

/// What runs on a device now, by share and memory. The rank's agent asks it before a task's kernels are queued, the simulator
/// before a task starts. Not thread-safe.
class Admission {
public:
  /// \p memory for tasks; 0: not counted. \p tasks: at most so many at a time.
  Admission(int tasks, Bytes memory) : mostTasks(tasks), total(memory) {}

  bool admits(int share, Bytes memory) const {
    return running < mostTasks && percent + share <= 100 && (total == Bytes{} || used + memory <= total);
  }
  void start(int share, Bytes memory) {
    assert(admits(share, memory));
    ++running;
    percent += share;
    used += memory;
  }
  void end(int share, Bytes memory) {
    assert(running > 0 && percent >= share && used >= memory);
    --running;
    percent -= share;
    used -= memory;
  }

  int tasks() const { return running; }
  int share() const { return percent; }
  Bytes memory() const { return used; }

private:
  int mostTasks, running = 0, percent = 0;
  Bytes total, used;
};

} // namespace streamap
