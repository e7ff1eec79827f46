// The CUDA double: running a kernel's host twin.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "streamap/abi.h"

namespace doubles {

/// One launch, with copies of its arguments.
struct KernelLaunch {
  const streamap_kernel *kernel = nullptr;
  streamap_dim3 grid{}, block{};
  std::size_t sharedBytes = 0;
  std::vector<std::vector<unsigned char>> arguments;
};

/// Runs all blocks, one after the other, on the calling thread. Gives the signal that ended it early, 0 if none did.
int runKernel(const KernelLaunch &launch);

} // namespace doubles
