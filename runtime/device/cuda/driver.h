// StreamMAP runtime: the CUDA driver, opened while the program runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "device/cuda/driver_types.h"

namespace streamap::cuda {

/// The calls of libcuda.so.1, as members by their exported names. So a program needs no CUDA to be built or to start.
/// Thread-safe.
class Driver {
public:
  /// Opens the library: a name that the loader looks for, or a path. An error says why there is no driver to work with. It stays
  /// loaded: drivers do not like to go.
  static Result<std::shared_ptr<const Driver>> open(const std::string &library);

#define CUDA_FUNCTION(name, parameters) CUresult(*name) parameters = nullptr;
#include "device/cuda/driver_functions.def"
#undef CUDA_FUNCTION

  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)".
  std::string describe(CUresult result) const;
};

/// Makes a context current to the calling thread for a while, and then whichever was before: other libraries of the program may
/// have their own.
class CurrentContext {
public:
  CurrentContext(const Driver &driver, CUcontext context) : driver_(driver), result_(driver.cuCtxPushCurrent_v2(context)) {}
  ~CurrentContext() {
    if (result_ == CUDA_SUCCESS)
      driver_.cuCtxPopCurrent_v2(nullptr);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  /// Not CUDA_SUCCESS: the context is not current, and nothing can be called.
  CUresult result() const { return result_; }

private:
  const Driver &driver_;
  CUresult result_;
};

} // namespace streamap::cuda
