// StreamMAP runtime: what NVIDIA's management library knows of the machine's devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "device/device_ids.h"
#include "device/listed_device.h"
#include "device/nvml/nvml_types.h"

namespace streamap::nvml {

/// Another process on a device.
struct DeviceProcess {
  unsigned pid = 0; ///< of the machine, not of this process's namespace
  Bytes memory;
};

/// The state of a device now. What the device does not tell stays empty.
struct DeviceState {
  std::optional<Bytes> used, total; ///< memory, by all processes
  std::optional<int> busyPercent;   ///< of the last sample's time with a kernel running
  std::optional<int> celsius;
  std::vector<DeviceProcess> others; ///< processes that compute there, but for this one
};

/// libnvidia-ml.so.1, where it is there. It sees all devices of the machine, whatever CUDA_VISIBLE_DEVICES hides, and makes no
/// context. Nothing depends on it: a call that fails knows nothing. Thread-safe.
class Library {
public:
  /// Null where there is none, or no driver behind it.
  static std::shared_ptr<const Library> open(const std::string &library);
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  /// Release of the kernel's driver, "580.65.06"; empty if it does not say.
  std::string driverVersion() const;
  /// All devices of the machine, in NVML's order. One that has fallen off the bus tells nothing, and is left out.
  std::vector<ListedDevice> devices() const;

  std::optional<NvmlIndex> indexOf(const DeviceUuid &uuid) const;
  /// Nothing for a device that it does not know.
  std::optional<DeviceState> stateOf(const DeviceUuid &uuid) const;
  /// Whether it knows that the device has fallen off the bus.
  bool isLost(const DeviceUuid &uuid) const;

private:
  Library() = default;
  nvmlReturn_t find(const DeviceUuid &uuid, nvmlDevice_t &device) const;
  std::optional<DeviceUuid> uuidOf(nvmlDevice_t device) const;
  std::vector<DeviceUuid> instancesOf(nvmlDevice_t device) const;

// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define NVML_FUNCTION(name, parameters) nvmlReturn_t(*name) parameters = nullptr;
#include "device/nvml/nvml_functions.def"
#undef NVML_FUNCTION
};

} // namespace streamap::nvml
