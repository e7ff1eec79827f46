// StreamMAP runtime: the code of G tasks, loaded on a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/device_code.h"

#include "device/image_choice.h"

namespace streamap {

DeviceResult<const std::vector<DeviceFunction> *> DeviceCode::load(const streamap_images &images) {
  std::lock_guard lock(mutex_); // held on: to load code twice costs more than to wait for it
  auto &known = loaded_[&images];
  if (known)
    return known.get();
  const auto image = chooseImage(images, device_.properties());
  if (!image)
    return tl::unexpected<DeviceError>({DeviceErrorKind::BadImage, image.error()});
  const auto loaded = device_.loadImage(**image);
  if (!loaded)
    return tl::make_unexpected(loaded.error());
  auto functions = std::make_unique<std::vector<DeviceFunction>>();
  for (std::uint32_t k = 0; k < images.nkernels; ++k) {
    const auto function = device_.findFunction(*loaded, images.kernels[k].name);
    if (!function)
      return tl::make_unexpected(function.error());
    functions->push_back(*function);
  }
  known = std::move(functions);
  return known.get();
}

} // namespace streamap
