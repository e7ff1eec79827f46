// StreamMAP runtime: what one rank sees of the machine's devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/listed_device.h"
#include "device/properties.h"

namespace streamap {

/// A device of the machine that this process cannot use.
struct HiddenDevice {
  std::string name;
  DeviceUuid uuid;
  std::string why; ///< continues "... is not visible: "
};

/// A rank's devices before anyone has taken any.
struct DeviceSight {
  std::vector<DeviceProperties> devices; ///< that it can use, each backend's in its own order
  std::vector<DeviceUse> uses;           ///< of each of these, when they were looked for
  std::vector<HiddenDevice> hidden;
  std::vector<std::string> notices; ///< what cannot be used or means nothing, and why, for the user
  std::vector<std::string> drivers; ///< that work
  std::string reason;               ///< why there are no devices; empty if there are some
  std::size_t listed = 0;           ///< devices that management libraries know of
  std::string visible, order;       ///< CUDA_VISIBLE_DEVICES, `(unset)` if it is not set, and CUDA_DEVICE_ORDER; for people
  bool sharingAsked = false;        ///< processes are meant to share devices: CUDA's MPS serves this one
};

/// Which of the \p machine's devices are not among those \p seen, and why. \p visible and \p order: CUDA_VISIBLE_DEVICES and
/// CUDA_DEVICE_ORDER; nothing: not set. Entries that mean nothing are added to \p notices. Pure.
std::vector<HiddenDevice> findHidden(std::span<const ListedDevice> machine, std::span<const DeviceProperties> seen,
                                     std::optional<std::string_view> visible, std::optional<std::string_view> order,
                                     std::vector<std::string> &notices);

/// Whether CUDA numbers these devices otherwise than NVML does (and nvidia-smi, and whoever writes CUDA_VISIBLE_DEVICES by it).
bool ordersDiffer(std::span<const DeviceProperties> devices);

} // namespace streamap
