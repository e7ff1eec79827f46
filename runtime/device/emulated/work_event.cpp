// StreamMAP runtime: the events of an emulated device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/emulated/work_event.h"

#include <algorithm>

namespace streamap {

std::uint64_t WorkEvent::expect() {
  std::lock_guard lock(mutex_);
  return ++expected_;
}

std::uint64_t WorkEvent::expected() const {
  std::lock_guard lock(mutex_);
  return expected_;
}

void WorkEvent::reach(std::uint64_t time) {
  std::lock_guard lock(mutex_);
  reached_ = std::max(reached_, time);
  when_ = Clock::now();
  changed_.notify_all();
}

bool WorkEvent::isReached() const {
  std::lock_guard lock(mutex_);
  return reached_ >= expected_;
}

void WorkEvent::waitUntil(std::uint64_t time) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return reached_ >= time; });
}

WorkEvent::Clock::time_point WorkEvent::when() const {
  std::lock_guard lock(mutex_);
  return when_;
}

} // namespace streamap
