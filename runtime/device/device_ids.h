// StreamMAP runtime: what names a device, and what lives on it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace streamap {

/// A device's place in the CUDA driver's own list: after CUDA_VISIBLE_DEVICES, in the order of CUDA_DEVICE_ORDER.
using CudaOrdinal = StrongId<struct CudaOrdinalTag, int>;
/// A device's place in NVML's list: all devices of the machine, in PCI order, whatever CUDA_VISIBLE_DEVICES says.
using NvmlIndex = StrongId<struct NvmlIndexTag, unsigned>;

/// What a device is called everywhere: the same for every process, in CUDA and in NVML, and never reused.
struct DeviceUuid {
  enum class Kind : std::uint8_t {
    Gpu, ///< a whole device: `GPU-…`
    Mig  ///< a part of one that counts as a device: `MIG-…`
  };
  std::array<std::uint8_t, 16> bytes{};
  Kind kind = Kind::Gpu;

  friend auto operator<=>(const DeviceUuid &, const DeviceUuid &) = default;
};

/// `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, in lower case, as nvidia-smi writes it.
std::string describe(const DeviceUuid &uuid);

/// Reads a complete UUID with its prefix `GPU-` or `MIG-`, hexadecimal digits of either case. Nothing if it is not one.
std::optional<DeviceUuid> parseDeviceUuid(std::string_view text);

/// The same UUID for the same text, in every process: for devices that a backend makes up.
DeviceUuid uuidFromText(std::string_view text);

/// An address in a device's memory. Arithmetic on it is the caller's; the device checks what comes of it.
using DevicePointer = StrongId<struct DevicePointerTag, std::uint64_t>;
constexpr DevicePointer operator+(DevicePointer pointer, std::uint64_t bytes) {
  return DevicePointer{pointer.value + bytes};
}

// What a device gives out. The values are the backend's own; only the device that gave one knows it. 0 is none.

/// Work in order; work in two queues may overlap.
using DeviceQueue = StrongId<struct DeviceQueueTag, std::uint64_t>;
/// A point in a queue's work.
using DeviceEvent = StrongId<struct DeviceEventTag, std::uint64_t>;
/// Loaded code.
using DeviceImage = StrongId<struct DeviceImageTag, std::uint64_t>;
/// A kernel of a loaded image; goes with it.
using DeviceFunction = StrongId<struct DeviceFunctionTag, std::uint64_t>;

} // namespace streamap
