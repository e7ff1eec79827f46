// StreamMAP runtime: tasks of one launch must not touch what another of them writes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace streamap {

/// One run that one task of a launch touches.
struct Touch {
  ByteRun run;
  std::uint32_t task = 0;
  std::uint32_t section = 0; ///< whatever the caller wants to know again
  enum class Kind : std::uint8_t { Read, Write, Reduce } kind = Kind::Read;
  std::uint32_t reduction = 0; ///< Kind::Reduce: which; touches of one reduction never conflict with each other
};

/// Two touches that share the byte \p at although one of them writes.
struct Conflict {
  Touch first, second; ///< first.task < second.task, or a reduction and another touch of any two tasks
  HomeAddress at = 0;
};

/// Looks for two touches of different tasks (or of a reduction and anything else) that overlap and of which one writes. Sorts
/// \p touches. O(n log n).
std::optional<Conflict> findConflict(std::vector<Touch> &touches);

} // namespace streamap
