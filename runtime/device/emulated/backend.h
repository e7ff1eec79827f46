// StreamMAP runtime: devices made of this machine's processor and memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/backend.h"

namespace streamap {

/// `emulated:2,memory=256MiB,cc=9.0,speed=4`: see docs/internals/devices.md for the options. \p count -1 means 1.
Result<std::unique_ptr<Backend>> makeEmulatedBackend(int count, std::span<const DeviceOption> options,
                                                     const BackendContext &context);

} // namespace streamap
