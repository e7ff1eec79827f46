// StreamMAP runtime: the files that a run leaves behind, if asked to.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "observe/counters.h"
#include "observe/task_trace.h"

namespace streamap {

/// One rank's part.
struct RankRecord {
  std::string host;
  int node = 0;
  int slots = 1;
  bool complete = true; ///< false: the rank was lost before it could tell
  CounterValues counters{};
  std::vector<TaskRecord> tasks;
};

/// Writes a trace that Perfetto and chrome://tracing read: a complete event a task, pid = rank, tid = slot. \p nameOf gives a
/// task's name and "file:line".
Result<void> writeTrace(const std::string &path, const std::vector<RankRecord> &ranks,
                        const std::function<std::pair<std::string, std::string>(DescriptorKey)> &nameOf);

/// Writes the counters of all ranks and their totals as JSON.
Result<void> writeCounters(const std::string &path, const std::vector<RankRecord> &ranks);

} // namespace streamap
