// StreamMAP runtime: how many threads run a loop.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/device.h"

namespace streamap {

/// Enough blocks to fill the largest GPUs several times over; a grid-stride loop does the rest.
inline constexpr std::uint32_t mostBlocks = 4096;
inline constexpr std::uint32_t usualBlock = 256;

/// The shape for a grid-stride loop. It depends on the loop and the kernel alone, never on the device, so that whatever is summed by blocks and
/// threads is summed in the same order everywhere. \p iterations is not 0.
inline LaunchShape shapeFor(const streamap_kernel &kernel, std::uint64_t iterations) {
  const std::uint32_t block = kernel.block != 0 ? kernel.block : usualBlock;
  const std::uint64_t blocks = iterations / block + (iterations % block != 0 ? 1 : 0);
  LaunchShape shape;
  shape.grid[0] = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, mostBlocks));
  shape.block[0] = block;
  shape.shared = Bytes{kernel.shared};
  shape.iterations = iterations;
  return shape;
}

} // namespace streamap
