// StreamMAP runtime: sections of the C ABI -> byte runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `sections` thunk describes each section once, with axes that are affine in the split index i. What a task really touches is
// the union over the indices of its chunk: exact, so that strided and descending loops, halos and triangles come out as they are,
// and neighbouring tasks do not seem to overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/run_set.h"
#include "streamap/abi.h"

namespace streamap {

/// One emitted section: runs [firstRun, firstRun + runCount) of the sink, in the form of a RunSet.
struct Section {
  std::uint32_t param = 0;
  std::uint32_t access = 0; ///< enum streamap_access
  HomeAddress base = 0;     ///< the address that the axes count from
  std::uint32_t elementBytes = 0;
  std::size_t firstRun = 0;
  std::size_t runCount = 0;
};

/// Why a section cannot be expressed.
enum class SectionFault : std::uint8_t {
  None,
  Overflow,   ///< an index or address leaves 64 bits
  TooManyRuns ///< more than maxSectionRuns separate pieces
};

/// Pieces that one section of one task may fall into. Each costs tens of bytes in several maps.
inline constexpr std::size_t maxSectionRuns = std::size_t{1} << 25;

} // namespace streamap

/// Collects the sections of one task. Reused from task to task so that its vectors keep their room. Not thread-safe.
struct streamap_sink {
  /// Starts a task whose split loops run the indices \p grids; they are not copied.
  void begin(std::span<const streamap_grid> chunkGrids);

  std::span<const streamap::ByteRun> runsOf(const streamap::Section &section) const {
    return std::span(runs).subspan(section.firstRun, section.runCount);
  }

  std::vector<streamap::Section> sections; ///< empty ones are left out
  std::vector<streamap::ByteRun> runs;
  streamap::SectionFault fault = streamap::SectionFault::None; ///< the first one; sections behind it are not collected
  std::uint32_t faultParam = 0;

  // The rest is streamap_emit's own.
  std::span<const streamap_grid> grids;
  std::vector<streamap::ByteRun> box;                         ///< the section being built
  std::vector<std::pair<std::int64_t, std::int64_t>> offsets; ///< runs relative to the base, one box
  std::vector<std::pair<std::int64_t, std::int64_t>> wider;
};

namespace streamap {

/// The runs of a region named by `wait on` or `discard`. \p out is appended to. Gives the fault, if any.
SectionFault regionRuns(const streamap_region &region, std::vector<ByteRun> &out);

} // namespace streamap
