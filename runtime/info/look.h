// streamap-info: looking at all ranks, without opening any device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "discover/inventory.h"

namespace streamap {

/// What there is, on rank 0.
struct Look {
  Inventory inventory;
  std::string devicesSetting;
};

/// Looks at this rank, and gathers what all see. Nothing on ranks other than 0, which have nothing to say. \p program: a file
/// whose contents the ranks compare; empty: none. Initialises and finalises MPI if a launcher started this process. Collective.
Result<std::optional<Look>> lookAtCluster(const std::string &program);

} // namespace streamap
