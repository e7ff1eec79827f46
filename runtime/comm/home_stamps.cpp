// StreamMAP runtime: hashes of the bytes that leave home or arrive there.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comm/home_stamps.h"

#include <xxhash.h>

namespace streamap {
namespace {

std::vector<BlockHash> hashBlocks(ByteRun run) {
  const StampBlocks blocks(run);
  std::vector<BlockHash> hashes(blocks.count());
  for (std::size_t k = 0; k < hashes.size(); ++k) {
    const XXH128_hash_t hash = XXH3_128bits(reinterpret_cast<const void *>(blocks[k].lo), blocks[k].bytes());
    hashes[k] = {hash.low64, hash.high64};
  }
  return hashes;
}

/// Many tiny runs (a column of a matrix) cost more to remember than to send.
bool worthStamping(const std::vector<ByteRun> &piece) {
  constexpr std::size_t manyRuns = 256;
  constexpr std::uint64_t tinyRun = 256;
  if (piece.size() < manyRuns)
    return true;
  std::uint64_t bytes = 0;
  for (const ByteRun run : piece)
    bytes += run.bytes();
  return bytes / piece.size() >= tinyRun;
}

} // namespace

std::uint64_t stampDeparture(StampTable &stamps, const SendOrder &order, std::vector<ByteRun> &piece) {
  if (!worthStamping(piece))
    return 0;
  std::uint64_t before = 0, after = 0;
  std::vector<ByteRun> changed;
  for (const ByteRun run : piece) {
    const auto hashes = hashBlocks(run);
    before += run.bytes();
    if (order.receiverHas != Version{})
      for (const ByteRun part : stamps.changedRuns(run, order.receiverHas, hashes)) {
        changed.push_back(part);
        after += part.bytes();
      }
    stamps.record(run, order.version, hashes);
  }
  if (order.receiverHas == Version{})
    return 0;
  piece = std::move(changed);
  return before - after;
}

void stampArrival(StampTable &stamps, Version version, const std::vector<ByteRun> &piece) {
  if (!worthStamping(piece))
    return;
  for (const ByteRun run : piece)
    stamps.record(run, version, hashBlocks(run));
}

} // namespace streamap
