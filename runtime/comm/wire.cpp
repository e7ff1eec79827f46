// StreamMAP runtime: values to bytes and back.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comm/wire.h"

namespace streamap {
namespace {

// Signed distances with small magnitude become small numbers.
std::uint64_t zigzag(std::uint64_t distance) {
  return (distance << 1) ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(distance) >> 63);
}
std::uint64_t unzigzag(std::uint64_t packed) {
  return (packed >> 1) ^ (~(packed & 1) + 1);
}

/// How many runs from `first` on have its length and follow each other at one distance.
std::size_t comb(std::span<const ByteRun> runs, std::size_t first) {
  std::size_t end = first + 1;
  while (end < runs.size() && runs[end].bytes() == runs[first].bytes() &&
         runs[end].lo - runs[end - 1].lo == runs[first + 1].lo - runs[first].lo)
    ++end;
  return end - first;
}

} // namespace

void WireWriter::putRuns(std::span<const ByteRun> runs) {
  putPacked(runs.size());
  HomeAddress before = 0;
  for (std::size_t i = 0; i < runs.size();) {
    const std::size_t count = comb(runs, i);
    putPacked(zigzag(runs[i].lo - before));
    putPacked(runs[i].bytes());
    putPacked(count);
    if (count > 1)
      putPacked(zigzag(runs[i + 1].lo - runs[i].lo));
    i += count;
    before = runs[i - 1].hi;
  }
}

std::vector<ByteRun> WireReader::getRuns() {
  std::vector<ByteRun> runs;
  const std::uint64_t total = getPacked();
  HomeAddress before = 0;
  while (ok_ && runs.size() < total) {
    HomeAddress lo = before + unzigzag(getPacked());
    const std::uint64_t bytes = getPacked(), count = getPacked();
    const std::uint64_t stride = count > 1 ? unzigzag(getPacked()) : 0;
    ok_ = ok_ && count > 0 && count <= total - runs.size();
    for (std::uint64_t i = 0; ok_ && i < count; ++i, lo += stride)
      runs.push_back({lo, lo + bytes});
    if (ok_)
      before = runs.back().hi;
  }
  return runs;
}

} // namespace streamap
