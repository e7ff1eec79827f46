// StreamMAP runtime: a kernel's host twin.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.h"
#include "streamap/abi.h"

namespace streamap {

/// Runs all threads of a launch on the calling thread, block after block: one after the other, or in turns from barrier to
/// barrier for a kernel with STREAMAP_KERNEL_BARRIERS. \p arguments[k] points to argument k. The kernel must have a twin.
/// Thread-safe.
void runTwin(const streamap_kernel &kernel, const LaunchShape &shape, void *const *arguments);

} // namespace streamap
