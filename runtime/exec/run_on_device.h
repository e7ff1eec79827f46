// StreamMAP runtime: one G task on a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

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
};

/// Runs the order's G version on device \p device of \p memory, and returns when it is done. The calling thread alone uses \p
/// lane. What the task reads is brought there; what it writes stays there.
DeviceOutcome runOnDevice(const RunOrder &order, RankMemory &memory, int device, const DeviceLane &lane);

/// The device's number of an order that is for a device (order.memory is not hostMemory).
inline int deviceOf(const RunOrder &order) {
  return order.memory.value - 1;
}

} // namespace streamap
