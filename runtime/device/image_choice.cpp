// StreamMAP runtime: which of a task's images runs on a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/image_choice.h"

#include <algorithm>
#include <span>
#include <vector>

namespace streamap {
namespace {

std::span<const std::uint16_t> listOf(const std::uint16_t *archs) {
  std::size_t count = 0;
  while (archs && archs[count] != 0)
    ++count;
  return {archs, count};
}

std::string written(int arch) {
  return std::to_string(arch / 10) + "." + std::to_string(arch % 10);
}

/// The newest architecture of the image whose code runs on \p capability; 0 if none does.
int binaryFor(const streamap_image &image, ComputeCapability capability) {
  int best = 0;
  for (const int arch : listOf(image.binary_archs))
    if (arch / 10 == capability.major && arch % 10 <= capability.minor)
      best = std::max(best, arch);
  return best;
}

int textFor(const streamap_image &image, ComputeCapability capability) {
  int best = 0;
  for (const int arch : listOf(image.text_archs))
    if (arch <= capability.number())
      best = std::max(best, arch);
  return best;
}

bool isNvidia(const streamap_image &image) {
  return image.form == STREAMAP_IMAGE_PTX || image.form == STREAMAP_IMAGE_CUBIN || image.form == STREAMAP_IMAGE_FATBIN;
}

std::string whatThereIs(std::span<const streamap_image> images) {
  std::vector<int> binary, text;
  for (const streamap_image &image : images) {
    const auto archs = listOf(image.binary_archs), texts = listOf(image.text_archs);
    binary.insert(binary.end(), archs.begin(), archs.end());
    text.insert(text.end(), texts.begin(), texts.end());
  }
  std::sort(binary.begin(), binary.end());
  std::sort(text.begin(), text.end());
  std::string list;
  for (const int arch : binary)
    list += (list.empty() ? "" : ", ") + written(arch);
  for (const int arch : text)
    list += (list.empty() ? "" : ", ") + written(arch) + " and later";
  return list.empty() ? "no GPU" : list;
}

} // namespace

Result<const streamap_image *> chooseImage(const streamap_images &images, const DeviceProperties &device) {
  const std::span all(images.images, images.nimages);
  const bool twins = device.backend == "emulated" || device.backend == "host";
  if (twins) {
    for (const streamap_image &image : all)
      if (image.form == STREAMAP_IMAGE_TWINS)
        return &image;
    return failure("its kernels have no host twins, which an emulated device runs");
  }
  const streamap_image *best = nullptr;
  int bestArch = 0;
  for (auto *const fits : {binaryFor, textFor}) {
    for (const streamap_image &image : all)
      if (const int arch = isNvidia(image) ? fits(image, device.capability) : 0; arch > bestArch) {
        best = &image;
        bestArch = arch;
      }
    if (best)
      return best;
  }
  return failure("its code is for compute capability " + whatThereIs(all) + ", and " + device.name + " has " +
                     written(device.capability.number()),
                 "compile with --streamap-cuda-arch=" + std::to_string(device.capability.number()));
}

} // namespace streamap
