// StreamMAP runtime: what one task does to which bytes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/accesses.h"

#include <algorithm>

#include "base/run_set.h"

namespace streamap {
namespace {

bool before(const Access &a, const Access &b) {
  return a.run.lo < b.run.lo;
}

/// Sections that overlap: worked out as sets.
void uniteOverlapping(std::vector<Access> &accesses, std::size_t first) {
  RunSet read, written;
  for (std::size_t k = first; k < accesses.size(); ++k) {
    if (reads(accesses[k].mode))
      read.push_back(accesses[k].run);
    if (writes(accesses[k].mode))
      written.push_back(accesses[k].run);
  }
  normalise(read);
  normalise(written);
  accesses.resize(first);
  auto append = [&](const RunSet &runs, AccessMode mode) {
    for (ByteRun run : runs)
      accesses.push_back({run, mode});
  };
  append(subtract(read, written), AccessMode::Read);
  append(subtract(written, read), AccessMode::Write);
  append(intersect(read, written), AccessMode::ReadWrite);
  std::sort(accesses.begin() + static_cast<std::ptrdiff_t>(first), accesses.end(), before);
}

} // namespace

void uniteAccesses(std::vector<Access> &accesses, std::size_t first) {
  auto from = accesses.begin() + static_cast<std::ptrdiff_t>(first);
  if (!std::is_sorted(from, accesses.end(), before))
    std::sort(from, accesses.end(), before);
  for (std::size_t k = first + 1; k < accesses.size(); ++k)
    if (accesses[k].run.lo < accesses[k - 1].run.hi)
      return uniteOverlapping(accesses, first);
  std::size_t kept = first;
  for (std::size_t k = first; k < accesses.size(); ++k) {
    if (kept > first && accesses[kept - 1].run.hi == accesses[k].run.lo && accesses[kept - 1].mode == accesses[k].mode)
      accesses[kept - 1].run.hi = accesses[k].run.hi;
    else
      accesses[kept++] = accesses[k];
  }
  accesses.resize(kept);
}

} // namespace streamap
