// StreamMAP simulator: which memory has which version of a datum.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/inline_vector.h"
#include "simulate/program.h"

namespace streamap::simulate {

inline constexpr std::uint32_t nothing = UINT32_MAX; ///< no task, transfer or version

/// One rank's copy. Memories are bits: bit 0 the host's, bit k that of device k - 1.
struct RankCopy {
  Rank rank;
  std::uint32_t hops = 0;           ///< transfers behind each other until it is there
  std::uint32_t arriving = nothing; ///< the transfer that brings it
  std::uint64_t memories = 0;       ///< that have it
  std::uint64_t planned = 0;        ///< that have it or will
};

constexpr std::uint64_t bitOf(MemoryIndex memory) {
  return std::uint64_t{1} << memory.value;
}

/// What one task has written, as of the tasks that are placed.
struct DataVersion {
  DatumId datum;
  std::uint32_t references = 0;   ///< 1 as the current version, and one for each reader and transfer
  std::uint32_t writer = nothing; ///< the task that has not written it yet
  InlineVector<RankCopy, 2> copies;

  RankCopy *at(Rank rank) {
    for (RankCopy &copy : copies)
      if (copy.rank == rank)
        return &copy;
    return nullptr;
  }
};

/// All versions, numbered; numbers are used again. Not thread-safe.
class VersionPool {
public:
  std::uint32_t take(DatumId datum) {
    std::uint32_t number = 0;
    if (unused.empty()) {
      number = static_cast<std::uint32_t>(versions.size());
      versions.emplace_back();
    } else {
      number = unused.back();
      unused.pop_back();
    }
    DataVersion &version = versions[number];
    version.datum = datum;
    version.references = 1;
    version.writer = nothing;
    version.copies.clear();
    return number;
  }
  void give(std::uint32_t number) {
    versions[number].copies.clear();
    unused.push_back(number);
  }
  /// Numbers in use are below it.
  std::uint32_t size() const { return static_cast<std::uint32_t>(versions.size()); }
  DataVersion &operator[](std::uint32_t number) { return versions[number]; }

private:
  std::vector<DataVersion> versions;
  std::vector<std::uint32_t> unused;
};

} // namespace streamap::simulate
