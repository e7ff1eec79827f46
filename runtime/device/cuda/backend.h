// StreamMAP runtime: NVIDIA's devices, through the CUDA driver.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <span>

#include "device/backend.h"

namespace streamap {

/// Options: `driver` and `nvml`, the libraries (default libcuda.so.1 and libnvidia-ml.so.1, where the loader finds them);
/// `piece`, how much of a copy from or to memory that is not pinned is on its way at once. Nothing is opened before discover().
Result<std::unique_ptr<Backend>> makeCudaBackend(int count, std::span<const DeviceOption> options, const BackendContext &context);

} // namespace streamap
