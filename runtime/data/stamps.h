// StreamMAP runtime: what the bytes at home were when they last left or arrived.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between two waits main may change what it was given back, or not; the copies on other ranks count as changed either way. Before
// bytes leave home for a rank that still holds an older version, the head's agent hashes them and asks here whether that version
// had the same hash. Bytes are hashed in blocks of 64 KiB of the address space, each clipped to the run, so the same run always
// gives the same blocks.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/inline_vector.h"

namespace streamap {

/// A 128-bit hash: two different contents that collide are not met in the life of a cluster.
struct BlockHash {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(BlockHash, BlockHash) = default;
};

inline constexpr std::uint64_t stampBlockBytes = 64 * 1024;

/// The blocks that \p run is hashed in: cut at the multiples of stampBlockBytes.
class StampBlocks {
public:
  explicit constexpr StampBlocks(ByteRun of) : run(of) {}
  constexpr std::size_t count() const {
    return run.lo >= run.hi ? 0 : (run.hi - 1) / stampBlockBytes - run.lo / stampBlockBytes + 1;
  }
  /// Block \p k, 0 <= k < count().
  constexpr ByteRun operator[](std::size_t k) const {
    std::uint64_t first = (run.lo / stampBlockBytes + k) * stampBlockBytes;
    return {first < run.lo ? run.lo : first, first + stampBlockBytes > run.hi ? run.hi : first + stampBlockBytes};
  }

private:
  ByteRun run;
};

/// The hashes of what home held, by block and version. Keeps the latest hash of every byte and the versions that are known to
/// have had it. Thread-safe.
class StampTable {
public:
  /// Home held \p hashes (one for each of StampBlocks(run)) in \p run when it was \p version.
  void record(ByteRun run, Version version, std::span<const BlockHash> hashes);

  /// The parts of \p run, whose bytes at home have the hashes \p now, that may differ from version \p held. A RunSet.
  std::vector<ByteRun> changedRuns(ByteRun run, Version held, std::span<const BlockHash> now) const;

  /// Nothing about \p run is of use any more.
  void forget(ByteRun run);

  /// Blocks that are known now, for tests.
  std::size_t size() const;

private:
  /// Versions of one block that had the same bytes; the oldest of more than these is forgotten.
  static constexpr std::uint32_t mostVersions = 6;
  struct Stamp {
    HomeAddress hi = 0;
    BlockHash hash;
    InlineVector<Version, 2> versions; ///< ascending
  };
  using Stamps = std::map<HomeAddress, Stamp>; ///< by the block's first byte; disjoint

  void recordBlock(ByteRun block, Version version, BlockHash hash);
  void eraseOverlapping(ByteRun run);

  mutable std::mutex mutex;
  Stamps stamps;
};

} // namespace streamap
