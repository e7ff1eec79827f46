// StreamMAP runtime: what is known of a device before it is opened.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "device/device_ids.h"

namespace streamap {

/// NVIDIA's compute capability, or what another vendor's backend makes of its own numbering.
struct ComputeCapability {
  int major = 0, minor = 0;
  friend constexpr auto operator<=>(ComputeCapability, ComputeCapability) = default;
  /// 90 for 9.0, as compilers and abi.h write it.
  constexpr int number() const { return major * 10 + minor; }
};

/// How many processes may use the device.
enum class ComputeMode : std::uint8_t {
  Default,   ///< any number
  Exclusive, ///< one at a time
  Prohibited ///< none
};

/// What a kernel launch may ask for.
struct LaunchLimits {
  std::uint32_t threadsPerBlock = 1024;
  std::array<std::uint32_t, 3> block{1024, 1024, 64};
  std::array<std::uint32_t, 3> grid{0x7fffffff, 65535, 65535};
  Bytes sharedPerBlock{48 * 1024}; ///< dynamic shared memory
};

/// One device. The backend fills what it knows; nothing in it changes while the process runs.
struct DeviceProperties {
  std::string backend; ///< name of the backend in the table: "cuda"
  std::string vendor;  ///< for require(vendor(...)): "nvidia"
  std::string name;    ///< "NVIDIA H200"
  DeviceUuid uuid;
  ComputeCapability capability;
  Bytes memory;            ///< in all
  int multiprocessors = 0; ///< SMs, or compute units
  std::string pciBusId;    ///< "0000:3b:00.0", lower case; empty if it has none
  int numaNode = -1;       ///< of the machine; -1: not known
  ComputeMode mode = ComputeMode::Default;
  LaunchLimits limits;
  bool copiesOverlapKernels = true;
  /// A copy of its own for each buffer: nothing is cut from larger ones, so that guards around each work.
  bool guardsBuffers = false;
  bool tensorCores = false;            ///< has units for small matrix products
  std::vector<DeviceUuid> peers;       ///< devices of this process whose memory its kernels and copies reach directly
  std::optional<DeviceUuid> migParent; ///< the device that it is an instance of, where that is known
  std::optional<CudaOrdinal> ordinal;  ///< where it has one
  std::optional<NvmlIndex> nvml;       ///< where NVML is there and knows it
};

} // namespace streamap
