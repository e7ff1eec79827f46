// StreamMAP runtime: which devices the user wants (the setting `devices`).
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/backend.h"

namespace streamap {

/// One part of the setting.
struct DeviceRequest {
  const BackendEntry *backend = nullptr;
  int count = -1; ///< -1: not given
  std::vector<DeviceOption> options;
};

/// Reads `auto` (every backend that finds devices by itself), `none`, or parts with `;` between them, each
/// `backend[:count][,key=value]...`: `emulated:2,memory=256MiB,cc=9.0`. What is wrong is told with the nearest right word.
Result<std::vector<DeviceRequest>> parseDeviceRequests(std::string_view text);

/// The backends that the setting asks for. Their options are checked here.
Result<std::vector<std::unique_ptr<Backend>>> makeBackends(std::string_view text, const BackendContext &context);

} // namespace streamap
