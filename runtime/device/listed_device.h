// StreamMAP runtime: devices of the machine, and who uses them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "device/device_ids.h"

namespace streamap {

/// A device of the machine, as its management library lists it, whether this process may use it or not.
struct ListedDevice {
  std::string name;
  DeviceUuid uuid;
  std::string pciBusId;        ///< "0000:3b:00.0", lower case
  std::vector<DeviceUuid> mig; ///< its compute instances; not empty: it is divided, and cannot be used as a whole
};

/// Who uses a device now, this program and others. What cannot be known stays empty.
struct DeviceUse {
  std::optional<Bytes> used, total; ///< memory, by all processes
  std::optional<int> busyPercent;   ///< of the last sample's time with a kernel running
  int others = 0;                   ///< processes but this one that compute there; those of other ranks count
  bool lost = false;                ///< fallen off the bus
};

} // namespace streamap
