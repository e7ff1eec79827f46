// StreamMAP simulator: what no assignment can beat.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "assign/resources.h"
#include "simulate/program.h"

namespace streamap::simulate {

/// Lower bounds of a makespan, each for a reason of its own. Nothing breaks, and head and links cost nothing.
struct Bounds {
  Seconds criticalPath = 0; ///< the longest chain of tasks, each where it runs fastest, with the time that main spends between
  /// The work, divided over all processors as well as it can be: tasks may be cut into pieces, each kind to where it suits best.
  Seconds area = 0;
  /// Data that only devices can use, from home over all their links at once; or back home.
  Seconds memory = 0;

  Seconds highest() const { return std::max({criticalPath, area, memory}); }
};

/// Errors: none. A task that nothing can run counts nowhere.
Bounds bounds(const Program &program, const ResourceTable &table);

} // namespace streamap::simulate
