// StreamMAP runtime: one G task on a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "exec/device_gate.h"
#include "exec/orders.h"
#include "exec/rank_memory.h"

namespace streamap {

/// How a G task ended.
struct DeviceOutcome {
  enum class Kind {
    Done,
    Failed, ///< the program's or the runtime's fault: `what` says why
    Lost    ///< the device is lost; the task has changed nothing that the host has
  };
  Kind kind = Kind::Done;
  std::string what;
  /// Done: monotonicNs() when the task's data was there and it was its turn, and when its kernels were done.
  std::int64_t startNs = 0, endNs = 0;
};

/// Runs the order's G version on device \p device of \p memory, and returns when it is done. The calling thread alone uses \p
/// lane. What the task reads is brought there; what it writes stays there. Its kernels begin when \p gate lets it pass: its share
/// of the device is free.
DeviceOutcome runOnDevice(const RunOrder &order, RankMemory &memory, int device, const DeviceLane &lane, DeviceGate &gate);

/// The device's number of an order that is for a device (order.memory is not hostMemory).
inline int deviceOf(const RunOrder &order) {
  return order.memory.value - 1;
}

} // namespace streamap
