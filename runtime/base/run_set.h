// StreamMAP runtime: sets of bytes as sorted runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace streamap {

/// A set of bytes: sorted, disjoint, non-empty runs with at least one byte between any two. Every function below that takes a
/// RunSet wants this form, and every one that gives a RunSet keeps it.
using RunSet = std::vector<ByteRun>;

/// Brings any list of runs into the form of a RunSet. Empty runs (hi <= lo) vanish. O(n) when it is sorted already.
void normalise(std::vector<ByteRun> &runs);

RunSet unite(std::span<const ByteRun> a, std::span<const ByteRun> b);
RunSet intersect(std::span<const ByteRun> a, std::span<const ByteRun> b);
/// The bytes of \p a that are not in \p b.
RunSet subtract(std::span<const ByteRun> a, std::span<const ByteRun> b);

/// Bytes in all; \p runs need not overlap.
std::uint64_t totalBytes(std::span<const ByteRun> runs);

} // namespace streamap
