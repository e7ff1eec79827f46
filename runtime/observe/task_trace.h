// StreamMAP runtime: when and where each task ran.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "exec/orders.h"

namespace streamap {

/// One run of a task, on the cluster's clock.
struct TaskRecord {
  DescriptorKey key;
  std::uint64_t task = 0;
  std::uint64_t launch = 0;
  std::int64_t index = 0, count = 1;
  std::int64_t startNs = 0, endNs = 0;
  std::uint64_t bytesMoved = 0;
  std::int32_t slot = 0;
  std::int32_t cores = 1;
  std::int32_t device = -1; ///< this rank's number of it; -1: a C task
};

/// The runs of one rank, in memory until the end. Thread-safe. There is none unless a trace was asked for.
class TaskTrace {
public:
  void add(const TaskRecord &record) {
    std::lock_guard lock(mutex_);
    records_.push_back(record);
  }
  std::vector<TaskRecord> take() {
    std::lock_guard lock(mutex_);
    return std::move(records_);
  }

private:
  std::mutex mutex_;
  std::vector<TaskRecord> records_;
};

} // namespace streamap
