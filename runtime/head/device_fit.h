// StreamMAP runtime: whether a device can run a G task.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "head/head.h"
#include "streamap/abi.h"

namespace streamap {

/// Whether the device meets one requirement of require(...). Pure.
bool meets(const DeviceProperties &device, const streamap_requirement &requirement);

/// Nothing, or why the device cannot run the G tasks of \p task, of which the largest takes \p memory on it: its code, its
/// requirements, its memory. Pure.
Result<void> fitsDevice(const streamap_task &task, const streamap_images &images, const DeviceOffer &offer, Bytes memory);

} // namespace streamap
