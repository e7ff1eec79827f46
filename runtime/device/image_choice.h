// StreamMAP runtime: which of a task's images runs on a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/result.h"
#include "device/properties.h"
#include "streamap/abi.h"

namespace streamap {

/// The image of \p images for the device: binary code for its architecture before text that its driver compiles; host twins for
/// the backends `emulated` and `host`. The error names what there is and what the device is. Pure.
Result<const streamap_image *> chooseImage(const streamap_images &images, const DeviceProperties &device);

} // namespace streamap
