// StreamMAP runtime: what one task does to which bytes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace streamap {

/// Bits that can be set together.
enum class AccessMode : std::uint8_t { Read = 1, Write = 2, ReadWrite = 3 };

constexpr bool reads(AccessMode mode) {
  return (static_cast<std::uint8_t>(mode) & 1) != 0;
}
constexpr bool writes(AccessMode mode) {
  return (static_cast<std::uint8_t>(mode) & 2) != 0;
}

/// One run of bytes and what a task does to it. A write without a read needs no old contents.
struct Access {
  ByteRun run;
  AccessMode mode = AccessMode::Read;
  friend bool operator==(const Access &, const Access &) = default;
};

/// Brings accesses [first, end) into the form that the rest of the runtime wants: sorted, disjoint, none empty, where bytes named
/// several times have all modes united, and neighbours of one mode are one run.
void uniteAccesses(std::vector<Access> &accesses, std::size_t first);

} // namespace streamap
