// StreamMAP runtime: the head that calls of this process go to.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

namespace streamap {

class Head;

namespace detail {
inline std::atomic<Head *> activeHead{nullptr};
}

/// The head of the running program, or null: before main, after the last wait, on the other ranks, and where there are no tasks.
/// Once it was there it stays valid until the process ends. Any thread.
inline Head *activeHead() {
  return detail::activeHead.load(std::memory_order_acquire);
}

/// Set by start/ when the ranks are ready, and to null when they are told to end.
inline void setActiveHead(Head *head) {
  detail::activeHead.store(head, std::memory_order_release);
}

} // namespace streamap
