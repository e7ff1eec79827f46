// StreamMAP runtime: the code of G tasks, loaded on a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.h"
#include "streamap/abi.h"

namespace streamap {

/// The images that have been loaded on one device, each once. They stay until the device goes. Thread-safe.
class DeviceCode {
public:
  explicit DeviceCode(Device &device) : device_(device) {}

  /// The kernels of \p images by number, loaded on first use. BadImage when none of them runs on the device.
  DeviceResult<const std::vector<DeviceFunction> *> load(const streamap_images &images);

private:
  Device &device_;
  std::mutex mutex_;
  std::map<const streamap_images *, std::unique_ptr<const std::vector<DeviceFunction>>> loaded_;
};

} // namespace streamap
