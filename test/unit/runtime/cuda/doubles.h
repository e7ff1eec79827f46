// The doubles of NVIDIA's libraries, for tests of the backend.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cuda/control.h"
#include "device/backend.h"
#include "device/cuda/driver_types.h"

namespace streamap::cuda {

/// The controls of the doubles, and the way past the backend to the driver's own calls.
class Doubles {
public:
  /// Loads them once a process.
  static Doubles &instance();

  /// A machine as the settings say (test/doubles/cuda/settings.h), as if just started.
  void start(const std::string &settings);
  DoubleReport report() const;
  /// The calls since the start: name, and how often.
  std::vector<std::pair<std::string, std::uint64_t>> calls() const;
  /// A call of the driver by its exported name.
  template <class Call> Call call(const char *name) const { return reinterpret_cast<Call>(symbol(name)); }

private:
  Doubles();
  void *symbol(const char *name) const;
  void *cuda_ = nullptr, *nvml_ = nullptr;
};

/// The backend with the doubles for libraries. \p more: further options.
std::unique_ptr<Backend> makeBackendOnDoubles(std::vector<DeviceOption> more = {});

/// All devices that the backend finds, opened.
std::vector<std::unique_ptr<Device>> openAll(Backend &backend);

/// Twins of the kernels in test/doubles/test_kernels.c, as an image.
streamap_image testKernels();

/// One argument of a launch.
template <class T> KernelArgument argument(const T &value) {
  return {&value, sizeof value};
}

/// Nothing of the driver's is left, and nothing was done that no correct program does.
void expectNothingLeft();

} // namespace streamap::cuda

/// The value of a DeviceResult that must be one.
#define ASSERT_DEVICE(expression)                                                                                                \
  do {                                                                                                                           \
    const auto &assertedResult = (expression);                                                                                   \
    ASSERT_TRUE(assertedResult.has_value()) << assertedResult.error().text.message;                                              \
  } while (false)
