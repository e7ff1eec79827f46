// StreamMAP runtime: what the bytes at home were when they last left or arrived.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/stamps.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace streamap {

void StampTable::record(ByteRun run, Version version, std::span<const BlockHash> hashes) {
  StampBlocks blocks(run);
  assert(hashes.size() == blocks.count());
  std::lock_guard lock(mutex);
  for (std::size_t k = 0; k < blocks.count(); ++k)
    recordBlock(blocks[k], version, hashes[k]);
}

void StampTable::recordBlock(ByteRun block, Version version, BlockHash hash) {
  auto at = stamps.find(block.lo);
  if (at == stamps.end() || at->second.hi != block.hi) {
    // Another cut of the same bytes: its hash cannot be compared with this one.
    eraseOverlapping(block);
    at = stamps.try_emplace(block.lo).first;
    at->second.hi = block.hi;
  }
  Stamp &stamp = at->second;
  // A list of versions, not a range: between two of them another rank may have written something else and the old bytes again.
  if (!(stamp.hash == hash)) {
    stamp.hash = hash;
    stamp.versions.clear();
  }
  if (std::find(stamp.versions.begin(), stamp.versions.end(), version) != stamp.versions.end())
    return;
  stamp.versions.push_back(version);
  std::sort(stamp.versions.begin(), stamp.versions.end());
  if (stamp.versions.size() > mostVersions) {
    std::copy(stamp.versions.begin() + 1, stamp.versions.end(), stamp.versions.begin());
    stamp.versions.truncate(mostVersions);
  }
}

std::vector<ByteRun> StampTable::changedRuns(ByteRun run, Version held, std::span<const BlockHash> now) const {
  StampBlocks blocks(run);
  assert(now.size() == blocks.count());
  std::vector<ByteRun> changed;
  std::lock_guard lock(mutex);
  for (std::size_t k = 0; k < blocks.count(); ++k) {
    ByteRun block = blocks[k];
    auto at = stamps.find(block.lo);
    if (at != stamps.end() && at->second.hi == block.hi && at->second.hash == now[k] &&
        std::find(at->second.versions.begin(), at->second.versions.end(), held) != at->second.versions.end())
      continue;
    if (!changed.empty() && changed.back().hi == block.lo)
      changed.back().hi = block.hi;
    else
      changed.push_back(block);
  }
  return changed;
}

void StampTable::forget(ByteRun run) {
  std::lock_guard lock(mutex);
  eraseOverlapping(run);
}

void StampTable::eraseOverlapping(ByteRun run) {
  auto at = stamps.upper_bound(run.lo);
  if (at != stamps.begin() && std::prev(at)->second.hi > run.lo)
    --at;
  while (at != stamps.end() && at->first < run.hi)
    at = stamps.erase(at);
}

std::size_t StampTable::size() const {
  std::lock_guard lock(mutex);
  return stamps.size();
}

} // namespace streamap
