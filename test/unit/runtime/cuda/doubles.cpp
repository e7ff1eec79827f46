// The doubles of NVIDIA's libraries, for tests of the backend.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "doubles.h"

#include <dlfcn.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "device/cuda/backend.h"

namespace streamap::cuda {

Doubles &Doubles::instance() {
  static Doubles doubles;
  return doubles;
}

Doubles::Doubles() : cuda_(dlopen(STREAMAP_CUDA_DOUBLE, RTLD_NOW)), nvml_(dlopen(STREAMAP_NVML_DOUBLE, RTLD_NOW)) {
  if (!cuda_ || !nvml_) {
    ADD_FAILURE() << dlerror();
    std::abort();
  }
}

void *Doubles::symbol(const char *name) const {
  void *const found = dlsym(cuda_, name);
  EXPECT_NE(found, nullptr) << name;
  return found;
}

void Doubles::start(const std::string &settings) {
  const char *const error = call<decltype(&cudaDoubleConfigure)>("cudaDoubleConfigure")(settings.c_str());
  ASSERT_EQ(error, nullptr) << error;
  reinterpret_cast<void (*)(const char *)>(dlsym(nvml_, "nvmlDoubleConfigure"))(settings.c_str());
}

DoubleReport Doubles::report() const {
  DoubleReport report;
  call<decltype(&cudaDoubleReport)>("cudaDoubleReport")(&report);
  return report;
}

std::vector<std::pair<std::string, std::uint64_t>> Doubles::calls() const {
  std::istringstream lines(call<decltype(&cudaDoubleCalls)>("cudaDoubleCalls")());
  std::vector<std::pair<std::string, std::uint64_t>> list;
  std::string name;
  for (std::uint64_t count = 0; lines >> name >> count;)
    list.emplace_back(name, count);
  return list;
}

std::unique_ptr<Backend> makeBackendOnDoubles(std::vector<DeviceOption> more) {
  more.push_back({"driver", STREAMAP_CUDA_DOUBLE});
  more.push_back({"nvml", STREAMAP_NVML_DOUBLE});
  auto backend = makeCudaBackend(-1, more, BackendContext{});
  EXPECT_TRUE(backend.has_value()) << backend.error().message;
  return std::move(*backend);
}

std::vector<std::unique_ptr<Device>> openAll(Backend &backend) {
  std::vector<std::unique_ptr<Device>> devices;
  for (const DeviceProperties &properties : backend.discover().devices) {
    auto device = backend.open(properties.uuid, static_cast<int>(devices.size()));
    EXPECT_TRUE(device.has_value()) << device.error().text.message;
    devices.push_back(std::move(*device));
  }
  return devices;
}

streamap_image testKernels() {
  static const std::vector<char> file = [] {
    std::ifstream stream(STREAMAP_TEST_KERNELS, std::ios::binary);
    return std::vector<char>(std::istreambuf_iterator<char>(stream), {});
  }();
  // Binary code of another machine than NVIDIA's; the double runs it.
  return {STREAMAP_IMAGE_CUBIN, file.size(), file.data(), nullptr, nullptr};
}

void expectNothingLeft() {
  const DoubleReport report = Doubles::instance().report();
  EXPECT_EQ(report.contexts, 0U);
  EXPECT_EQ(report.streams, 0U);
  EXPECT_EQ(report.events, 0U);
  EXPECT_EQ(report.modules, 0U);
  EXPECT_EQ(report.deviceBuffers, 0U);
  EXPECT_EQ(report.hostBuffers, 0U);
  EXPECT_EQ(report.misuses, 0U);
}

} // namespace streamap::cuda
