// The CUDA double: what streams are made of.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace doubles {

/// One thing that a stream does: it waits for others, works, and has happened at a time.
class Operation {
public:
  /// \p work may be empty: then the operation is only a point in its stream.
  Operation(std::vector<std::shared_ptr<Operation>> after, std::function<void()> work)
      : after_(std::move(after)), work_(std::move(work)) {}

  bool finished() const { return finished_.load(std::memory_order_acquire); }
  void wait() const { finished_.wait(false, std::memory_order_acquire); }
  /// When it finished. Only of a finished one.
  std::chrono::steady_clock::time_point when() const { return when_; }

  /// Waits for what must come first, then for \p delay, works, and tells those who wait.
  void run(std::chrono::microseconds delay);

private:
  std::vector<std::shared_ptr<Operation>> after_;
  std::function<void()> work_;
  std::chrono::steady_clock::time_point when_;
  std::atomic<bool> finished_{false};
};

/// Operations one after the other, on a thread of their own. Any thread may use it.
class OperationQueue {
public:
  /// \p delay gives how long the next operation shall wait; called by the queue's thread.
  explicit OperationQueue(std::function<std::chrono::microseconds()> delay);
  /// Closes it. What has been added still runs, on its own: a driver does not wait for a stream that is destroyed.
  ~OperationQueue();
  OperationQueue(const OperationQueue &) = delete;
  OperationQueue &operator=(const OperationQueue &) = delete;

  void add(std::shared_ptr<Operation> operation);
  /// Nothing is added from now on; the thread ends when what has been added is done.
  void close();
  /// The operation added last; null before the first.
  std::shared_ptr<Operation> tail() const;

private:
  struct State;
  std::shared_ptr<State> state_; ///< the thread has a share too
};

} // namespace doubles
