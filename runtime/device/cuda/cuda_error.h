// StreamMAP runtime: errors of the CUDA driver in the user's terms.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cuda/driver.h"
#include "device/device_error.h"

namespace streamap::cuda {

/// What the runtime does about it.
DeviceErrorKind kindOf(CUresult result);

/// What the user can do about it; empty where nobody knows.
std::string hintFor(CUresult result);

/// \p call by its exported name: "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)".
DeviceError makeError(const Driver &driver, const char *call, CUresult result);

/// Nothing, or the error.
inline DeviceResult<void> check(const Driver &driver, const char *call, CUresult result) {
  if (result == CUDA_SUCCESS)
    return {};
  return tl::make_unexpected(makeError(driver, call, result));
}

} // namespace streamap::cuda

/// Makes a call of the driver `driver`; leaves the function with its error if it fails.
#define STREAMAP_CUDA_TRY(driver, call, ...)                                                                                     \
  do {                                                                                                                           \
    if (const auto streamapResult = (driver).call(__VA_ARGS__); streamapResult != ::streamap::cuda::CUDA_SUCCESS)                \
      return ::tl::make_unexpected(::streamap::cuda::makeError(driver, #call, streamapResult));                                  \
  } while (false)
