// StreamMAP runtime: the CUDA driver, opened while the program runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/driver.h"

#include <dlfcn.h>

namespace streamap::cuda {
namespace {

/// Binds one call; false when the library has none of this name.
template <class Call> bool bind(void *library, const char *name, Call &call) {
  call = reinterpret_cast<Call>(dlsym(library, name));
  return call != nullptr;
}

} // namespace

Result<std::shared_ptr<const Driver>> Driver::open(const std::string &library) {
  void *const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *const why = dlerror();
    return failure("no NVIDIA driver here (" + std::string(why ? why : library) + ")");
  }
  auto driver = std::make_shared<Driver>();
  std::string missing;
#define CUDA_FUNCTION(name, parameters)                                                                                          \
  if (!bind(handle, #name, driver->name))                                                                                        \
    missing = #name;
#include "device/cuda/driver_functions.def"
#undef CUDA_FUNCTION
  if (!missing.empty())
    return failure("the NVIDIA driver " + library + " has no " + missing,
                   "a driver of CUDA 11.4 (release 470) or later is needed");
  return driver;
}

std::string Driver::describe(CUresult result) const {
  const char *text = nullptr, *name = nullptr;
  const std::string number = std::to_string(static_cast<unsigned>(result));
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || cuGetErrorName(result, &name) != CUDA_SUCCESS || !text || !name)
    return "error " + number;
  return std::string(text) + " (" + name + ", " + number + ")";
}

} // namespace streamap::cuda
