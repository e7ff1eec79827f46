// StreamMAP simulator: what assignment costs as clusters grow.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "assign/offer.h"

namespace streamap::simulate {

struct CurvePoint {
  int nodes = 0;
  double microseconds = 0; ///< real time that assigning one task took
};

/// Runs random graphs on clusters of 10, 30, ... \p most nodes with 8 cores and 8 GPUs each, with as much to do for each node,
/// but at least \p least tasks, and measures the assignment alone.
std::vector<CurvePoint> assignmentCurve(const Policy &policy, int most, int least);

} // namespace streamap::simulate
