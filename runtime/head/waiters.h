// StreamMAP runtime: threads that wait for the head's state to come to something.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/adaptive_mutex.h"
#include "base/ids.h"

namespace streamap {

/// One waiting thread, on its stack. It wakes once, when what it waits for is there, not at every step on the way.
struct Waiter {
  EventId below = happened;           ///< all events below this one
  std::vector<EventId> events;        ///< and these
  std::size_t tasksAtMost = SIZE_MAX; ///< and no more unfinished tasks than these
  std::uint32_t gathers = 0;          ///< and this many Gather and Discard tasks, which count down
  std::atomic<bool> ready = false;
  std::condition_variable_any wake;
};

/// The waiting threads. Guarded by the head's mutex, except where it says otherwise.
class Waiters {
public:
  /// Waits, with \p lock held on entry and exit, until \p satisfied(waiter) has become true in a call of check(), or release().
  template <class Satisfied> void wait(std::unique_lock<AdaptiveMutex> &lock, Waiter &waiter, const Satisfied &satisfied) {
    if (released || satisfied(waiter))
      return;
    waiting.push_back(&waiter);
    lock.unlock();
    // What is waited for is often microseconds away, and sleeping and waking costs more than ten.
    for (int round = 0; round < spinRounds && !waiter.ready.load(std::memory_order_acquire); ++round)
      pause();
    lock.lock();
    waiter.wake.wait(lock, [&] { return waiter.ready.load(std::memory_order_relaxed); });
    std::erase(waiting, &waiter);
  }

  /// Wakes those for whom \p satisfied is true now.
  template <class Satisfied> void check(const Satisfied &satisfied) {
    for (Waiter *waiter : waiting)
      if (!waiter->ready.load(std::memory_order_relaxed) && satisfied(*waiter))
        wakeUp(*waiter);
  }

  /// The program has failed: wakes all, now and later.
  void release() {
    released = true;
    for (Waiter *waiter : waiting)
      wakeUp(*waiter);
  }

  std::size_t unreleased() const {
    return static_cast<std::size_t>(
        std::count_if(waiting.begin(), waiting.end(), [](const Waiter *w) { return !w->ready.load(std::memory_order_relaxed); }));
  }

private:
  static constexpr int spinRounds = 400; ///< of some 40 ns

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  static void wakeUp(Waiter &waiter) {
    waiter.ready.store(true, std::memory_order_release);
    waiter.wake.notify_one();
  }

  std::vector<Waiter *> waiting;
  bool released = false;
};

} // namespace streamap
