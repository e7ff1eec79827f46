// StreamMAP runtime: work that a thread of its own does in order.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace streamap {

/// Work that a thread of its own does in order. Thread-safe.
class WorkQueue {
public:
  WorkQueue();
  /// Does what is queued first.
  ~WorkQueue();
  WorkQueue(const WorkQueue &) = delete;
  WorkQueue &operator=(const WorkQueue &) = delete;

  void add(std::function<void()> work);
  /// Blocks until everything that is queued now has been done.
  void finish();

private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::uint64_t added_ = 0, done_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

} // namespace streamap
