// StreamMAP runtime: the host itself as a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/backend.h"

namespace streamap {

/// `host`, `host:2`: everything happens within the call, in host memory: the simplest thing that a debugger can step through. No
/// options.
/// \p count -1 means 1.
Result<std::unique_ptr<Backend>> makeHostBackend(int count, std::span<const DeviceOption> options, const BackendContext &context);

} // namespace streamap
