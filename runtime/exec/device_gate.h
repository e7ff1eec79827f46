// StreamMAP runtime: how much of a device its tasks use at a time.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "assign/admission.h"

namespace streamap {

/// Lets tasks pass whose shares fit together, in the order in which they come: a large share is not overtaken by small ones, or
/// it might wait for ever. Memory is not its business: a task's is there when it comes. Thread-safe.
class DeviceGate {
public:
  /// Waits for its turn; gives the share back when it goes.
  class Pass {
  public:
    Pass(DeviceGate &theGate, int theShare) : gate(theGate), share(theShare) { gate.enter(share); }
    ~Pass() { gate.leave(share); }
    Pass(const Pass &) = delete;
    Pass &operator=(const Pass &) = delete;

  private:
    DeviceGate &gate;
    const int share;
  };

private:
  static constexpr int anyNumber = 1 << 20;

  void enter(int share) {
    std::unique_lock lock(mutex);
    const std::uint64_t turn = last++;
    changed.wait(lock, [&] { return turn == next && admission.admits(share, {}); });
    admission.start(share, {});
    ++next;
    changed.notify_all();
  }
  void leave(int share) {
    std::lock_guard lock(mutex);
    admission.end(share, {});
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  Admission admission{anyNumber, {}};
  std::uint64_t last = 0, next = 0; ///< turns: the next to be given out, and whose it is
};

} // namespace streamap
