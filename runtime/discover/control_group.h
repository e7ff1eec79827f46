// StreamMAP runtime: what the process's control group allows it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace streamap {

/// The limits of a control group, of version 1 or 2. They hold for all processes in it together.
struct ControlGroupLimits {
  std::uint32_t cores = 0; ///< cores' worth of time, rounded up; 0: no limit
  Bytes memory;            ///< 0: no limit
};

/// The smallest limits on the way from this process's control group to the root. \p root stands in front of /proc and /sys, for
/// tests. What cannot be read limits nothing. Any thread.
ControlGroupLimits controlGroupLimits(const std::string &root = {});

} // namespace streamap
