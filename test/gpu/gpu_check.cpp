// Checks the CUDA backend on the devices that are here, and measures it. test/gpu/run builds and starts it on a machine with a
// GPU.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: gpu_check [--driver LIBRARY] [--no-times] IMAGE
//   IMAGE     kernels.cu, as PTX (.ptx), cubin or fatbin
//   --no-times   answers only: for a double of the driver
// Exit code: 0 all is right, 1 something is not, 77 there is no device.
#include <cstring>
#include <fstream>
#include <iterator>

#include "checks.h"
#include "device/cuda/backend.h"

namespace {

using namespace streamap;

streamap_image readImage(const std::string &path, std::vector<char> &bytes) {
  std::ifstream file(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  bytes.push_back('\0'); // ends PTX
  const auto form = path.ends_with(".ptx")      ? STREAMAP_IMAGE_PTX
                    : path.ends_with(".fatbin") ? STREAMAP_IMAGE_FATBIN
                                                : STREAMAP_IMAGE_CUBIN;
  return {static_cast<std::uint8_t>(form), bytes.size(), bytes.data(), nullptr, nullptr};
}

int run(const std::string &driver, const std::string &imagePath, bool times) {
  gpu::Table table;
  const std::vector<DeviceOption> options{{"driver", driver}};
  const auto backend = makeCudaBackend(-1, options, BackendContext{});
  const Discovery found = (*backend)->discover();
  for (const std::string &notice : found.notices)
    std::printf("notice: %s\n", notice.c_str());
  if (found.devices.empty()) {
    std::printf("SKIP %s\n", found.reason.c_str());
    return 77;
  }
  std::vector<char> bytes;
  gpu::Bench bench{{}, readImage(imagePath, bytes), driver};
  if (bytes.size() < 2) {
    std::printf("FAIL cannot read %s\n", imagePath.c_str());
    return 1;
  }
  for (const DeviceProperties &properties : found.devices) {
    auto device = (*backend)->open(properties.uuid, static_cast<int>(bench.devices.size()));
    if (!device) {
      table.skip(properties.name, device.error().text.message);
      continue;
    }
    table.pass((*device)->name(), "compute capability " + std::to_string(properties.capability.major) + "." +
                                      std::to_string(properties.capability.minor) + ", " + describe(properties.memory));
    bench.devices.push_back(std::move(*device));
  }
  if (bench.devices.empty())
    return 77;
  gpu::checkAnswers(bench, table);
  if (times)
    gpu::measure(bench, table);
  gpu::checkFault(bench, table);
  return table.failures() > 0 ? 1 : 0;
}

} // namespace

int main(int count, char **words) {
  std::string driver = "libcuda.so.1", image;
  bool times = true;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--no-times") == 0)
      times = false;
    else if (std::strcmp(words[i], "--driver") == 0 && i + 1 < count)
      driver = words[++i];
    else
      image = words[i];
  }
  if (image.empty()) {
    std::printf("usage: gpu_check [--driver LIBRARY] [--no-times] IMAGE\n");
    return 1;
  }
  return run(driver, image, times);
}
