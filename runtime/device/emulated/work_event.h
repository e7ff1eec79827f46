// StreamMAP runtime: the events of an emulated device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

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

} // namespace streamap
