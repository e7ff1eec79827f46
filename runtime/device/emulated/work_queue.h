// StreamMAP runtime: the queues and events of an emulated device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace streamap {

/// A point in some queue's work. Thread-safe.
class WorkEvent {
public:
  using Clock = std::chrono::steady_clock;

  /// It will be reached once more; gives which time that is.
  std::uint64_t expect();
  /// The last time that was expected.
  std::uint64_t expected() const;
  void reach(std::uint64_t time);
  bool isReached() const;
  /// Blocks until it has been reached for the given time.
  void waitUntil(std::uint64_t time) const;
  void wait() const { waitUntil(expected()); }
  /// When it was last reached.
  Clock::time_point when() const;

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t expected_ = 0, reached_ = 0;
  Clock::time_point when_;
};

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
