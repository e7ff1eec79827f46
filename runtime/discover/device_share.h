// StreamMAP runtime: how the ranks of a machine share its GPUs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "device/properties.h"

namespace streamap {

/// One rank's part of a device.
struct GrantedDevice {
  DeviceUuid uuid;
  int ranks = 1; ///< that have a part of it
};

struct DeviceShares {
  std::vector<std::vector<GrantedDevice>> byRank;
  std::vector<std::string> notices; ///< devices that nobody uses and why, for the user
};

/// Gives each device of a node to one of the ranks that see it (recognised by UUID, whatever its number is there): devices that
/// few ranks see first, each to the rank with the fewest so far, then the lowest. A rank that sees devices and would get none
/// shares the one with the fewest ranks. Devices that allow no processes are left out; one in exclusive mode is never shared. \p
/// seen and \p nodes by rank. Pure: every rank would come to the same result.
DeviceShares shareDevices(std::span<const std::vector<DeviceProperties>> seen, std::span<const NodeId> nodes);

/// How much of a device's memory a rank's tasks may take: its part of what remains beside contexts and libraries.
Bytes deviceBudget(const DeviceProperties &device, int ranks);

} // namespace streamap
