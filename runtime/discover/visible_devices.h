// StreamMAP runtime: which of a machine's GPUs a process sees, and in which order.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver applies these rules itself before it counts devices. They are repeated here for what is beyond the driver: to
// tell a user why a GPU that NVML lists is not used, and for drivers that are not asked (devices that another rank sees).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/properties.h"

namespace streamap {

/// A GPU of the machine, as NVML lists it.
struct MachineGpu {
  DeviceUuid uuid;
  std::string pciBusId; ///< "0000:3b:00.0"
  int speed = 0;        ///< only compared: higher is faster, for CUDA_DEVICE_ORDER=FASTEST_FIRST
  std::vector<DeviceUuid>
      mig; ///< its compute instances, in order; not empty: MIG mode is on, and the whole device cannot be used
};

/// What a process would see.
struct VisibleDevices {
  std::vector<DeviceUuid> devices;  ///< by CUDA ordinal
  std::vector<std::string> notices; ///< entries that mean nothing, and what that led to, for the user
};

/// Applies CUDA_VISIBLE_DEVICES (\p visible) and CUDA_DEVICE_ORDER (\p order); nothing: the variable is not set. Entries are
/// indices into the list in the given order, or `GPU-` or `MIG-` UUIDs or beginnings of one that mean one device, or
/// `MIG-GPU-<uuid>/<gpu instance>/<compute instance>`; all of the form of the first. As in the driver: the first entry that means
/// nothing cuts off itself and all behind it, -1 and an empty entry end the list, a device that is named twice leaves none at
/// all, and with MIG one compute instance at most is visible. Pure.
VisibleDevices visibleDevices(std::span<const MachineGpu> machine, std::optional<std::string_view> visible,
                              std::optional<std::string_view> order);

} // namespace streamap
