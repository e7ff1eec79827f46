// What is checked and measured on a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "table.h"

namespace streamap::gpu {

/// Devices of one backend, and code for them with the kernels of kernels.cu.
struct Bench {
  std::vector<std::unique_ptr<Device>> devices;
  streamap_image image;
  std::string driver; ///< library, for the same by hand
};

/// Answers: copies of all kinds, kernels, events, peers, limits.
void checkAnswers(Bench &bench, Table &table);
/// Speed, beside the driver used by hand. Where the hardware is not real the numbers mean nothing.
void measure(Bench &bench, Table &table);
/// Breaks the first device on purpose; nothing can be done on it afterwards.
void checkFault(Bench &bench, Table &table);

} // namespace streamap::gpu
