// The CUDA double as its tests see it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "cuda/control.h"
#include "device/cuda/driver_types.h"

namespace streamap::cuda {

/// The double as a program would see the driver: by name from the library.
struct Driver {
#define CUDA_FUNCTION(name, parameters) CUresult(*name) parameters = nullptr;
#include "cuda/other_functions.def"
#include "device/cuda/driver_functions.def"
#undef CUDA_FUNCTION
  decltype(&cudaDoubleConfigure) configure = nullptr;
  decltype(&cudaDoubleReport) reportTo = nullptr;
  decltype(&cudaDoubleCalls) calls = nullptr;
  decltype(&cudaDoubleTwinFile) twinFile = nullptr;

  Driver() {
    void *const library = dlopen(STREAMAP_CUDA_DOUBLE, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      ADD_FAILURE() << dlerror();
      return;
    }
#define CUDA_FUNCTION(name, parameters) bind(library, #name, name);
#include "cuda/other_functions.def"
#include "device/cuda/driver_functions.def"
#undef CUDA_FUNCTION
    bind(library, "cudaDoubleConfigure", configure);
    bind(library, "cudaDoubleReport", reportTo);
    bind(library, "cudaDoubleCalls", calls);
    bind(library, "cudaDoubleTwinFile", twinFile);
  }
  template <class Call> static void bind(void *library, const char *name, Call &call) {
    call = reinterpret_cast<Call>(dlsym(library, name));
    EXPECT_NE(call, nullptr) << name;
  }
  DoubleReport report() const {
    DoubleReport report;
    reportTo(&report);
    return report;
  }
};

inline Driver &driver() {
  static Driver loaded;
  return loaded;
}

inline std::vector<char> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CudaDouble : public testing::Test {
protected:
  void SetUp() override { start(""); }
  void TearDown() override { unsetenv("CUDA_VISIBLE_DEVICES"); }

  void start(const std::string &settings) {
    const char *const error = cu.configure(settings.c_str());
    ASSERT_EQ(error, nullptr) << error;
  }
  /// cuInit, and the primary context of device 0 made current.
  void startWithContext(const std::string &settings) {
    start(settings);
    ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
  }
  CUfunction kernel(const char *name) {
    static const std::vector<char> image = readFile(STREAMAP_TEST_KERNELS);
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(cu.cuModuleLoadData(&module, image.data()), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  CUdeviceptr allocate(std::size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, bytes), CUDA_SUCCESS);
    return pointer;
  }
  CUstream stream() {
    CUstream made = nullptr;
    EXPECT_EQ(cu.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    return made;
  }
  CUevent event(unsigned flags = CU_EVENT_DEFAULT) {
    CUevent made = nullptr;
    EXPECT_EQ(cu.cuEventCreate(&made, flags), CUDA_SUCCESS);
    return made;
  }
  template <class... Arguments>
  CUresult launch(CUfunction function, unsigned grid, unsigned block, unsigned shared, CUstream stream, Arguments... arguments) {
    std::array<void *, sizeof...(arguments)> pointers{&arguments...};
    return cu.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream, pointers.data(), nullptr);
  }

  Driver &cu = driver();
  CUcontext context = nullptr;
};

} // namespace streamap::cuda
