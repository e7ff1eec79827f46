// StreamMAP runtime: a transfer in pieces.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace streamap {

/// Bytes up to which a piece travels in the stream, with its header.
inline constexpr std::uint64_t inlineLimit = std::uint64_t{16} << 10;
/// Bytes from which a run is sent from and received into its own place, without a copy.
inline constexpr std::uint64_t directRun = std::uint64_t{64} << 10;
/// Most bytes of a piece. Several are on their way at once, so that gathering, sending and scattering overlap.
inline constexpr std::uint64_t chunkBytes = std::uint64_t{4} << 20;

/// Cuts the runs of a transfer into pieces, in order. A piece is one run, or many short ones that are gathered. Cuts inside a run
/// lie at multiples of chunkBytes of home's address space, so that blocks that are hashed are never cut.
class PieceCutter {
public:
  /// The runs must outlive the cutter, be disjoint, and none of them empty.
  explicit PieceCutter(const std::vector<ByteRun> &runs) : runs_(runs) {}

  bool done() const { return next_ == runs_.size(); }

  /// The next piece; empty when done.
  std::vector<ByteRun> cut() {
    std::vector<ByteRun> piece;
    std::uint64_t bytes = 0;
    while (!done()) {
      const ByteRun run = head();
      const bool direct = run.bytes() >= directRun;
      if (!piece.empty() && (direct || bytes + run.bytes() > chunkBytes))
        break;
      piece.push_back(run);
      bytes += run.bytes();
      advance(run);
      if (direct)
        break;
    }
    return piece;
  }

private:
  ByteRun head() const {
    const ByteRun run{runs_[next_].lo + offset_, runs_[next_].hi};
    const HomeAddress end = (run.lo / chunkBytes + 1) * chunkBytes;
    return {run.lo, run.hi < end ? run.hi : end};
  }
  void advance(ByteRun taken) {
    offset_ += taken.bytes();
    if (taken.hi == runs_[next_].hi) {
      ++next_;
      offset_ = 0;
    }
  }

  const std::vector<ByteRun> &runs_;
  std::size_t next_ = 0;
  std::uint64_t offset_ = 0; ///< into runs_[next_]
};

} // namespace streamap
