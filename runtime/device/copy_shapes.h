// StreamMAP runtime: many runs as few copies.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace streamap {

/// Runs of one length at one distance: `rows` of them.
struct RowsOfRuns {
  ByteRun first;
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0; ///< bytes from one run's start to the next one's; 0 with one row
  friend bool operator==(const RowsOfRuns &, const RowsOfRuns &) = default;
};

/// Puts runs (a RunSet) together that one 2-D copy can move: a column of a matrix is one copy, not one an element.
std::vector<RowsOfRuns> rowsOf(std::span<const ByteRun> runs);

} // namespace streamap
