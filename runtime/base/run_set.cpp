// StreamMAP runtime: sets of bytes as sorted runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/run_set.h"

#include <algorithm>
#include <iterator>

namespace streamap {

void normalise(std::vector<ByteRun> &runs) {
  auto isNormal = [&] {
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i].hi <= runs[i].lo || (i > 0 && runs[i].lo <= runs[i - 1].hi))
        return false;
    return true;
  };
  if (isNormal())
    return;
  std::erase_if(runs, [](ByteRun run) { return run.hi <= run.lo; });
  if (!std::is_sorted(runs.begin(), runs.end()))
    std::sort(runs.begin(), runs.end());
  std::size_t kept = 0;
  for (ByteRun run : runs) {
    if (kept > 0 && run.lo <= runs[kept - 1].hi)
      runs[kept - 1].hi = std::max(runs[kept - 1].hi, run.hi);
    else
      runs[kept++] = run;
  }
  runs.resize(kept);
}

RunSet unite(std::span<const ByteRun> a, std::span<const ByteRun> b) {
  RunSet all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  normalise(all);
  return all;
}

RunSet intersect(std::span<const ByteRun> a, std::span<const ByteRun> b) {
  RunSet both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    ByteRun common{std::max(a[i].lo, b[j].lo), std::min(a[i].hi, b[j].hi)};
    if (common.lo < common.hi)
      both.push_back(common);
    (a[i].hi < b[j].hi ? i : j)++;
  }
  return both;
}

RunSet subtract(std::span<const ByteRun> a, std::span<const ByteRun> b) {
  RunSet rest;
  std::size_t j = 0;
  for (ByteRun run : a) {
    while (j < b.size() && b[j].hi <= run.lo)
      ++j;
    for (std::size_t k = j; k < b.size() && b[k].lo < run.hi; ++k) {
      if (b[k].lo > run.lo)
        rest.push_back({run.lo, b[k].lo});
      run.lo = std::max(run.lo, b[k].hi);
    }
    if (run.lo < run.hi)
      rest.push_back(run);
  }
  return rest;
}

std::uint64_t totalBytes(std::span<const ByteRun> runs) {
  std::uint64_t bytes = 0;
  for (ByteRun run : runs)
    bytes += run.bytes();
  return bytes;
}

} // namespace streamap
