// StreamMAP runtime: many runs as few copies.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/copy_shapes.h"

namespace streamap {

std::vector<RowsOfRuns> rowsOf(std::span<const ByteRun> runs) {
  std::vector<RowsOfRuns> rows;
  for (const ByteRun run : runs) {
    if (!rows.empty()) {
      RowsOfRuns &last = rows.back();
      const std::uint64_t distance = run.lo - (last.first.lo + (last.rows - 1) * last.pitch);
      if (run.bytes() == last.first.bytes() && (last.rows == 1 || distance == last.pitch)) {
        last.pitch = distance;
        ++last.rows;
        continue;
      }
    }
    rows.push_back({run, 1, 0});
  }
  return rows;
}

} // namespace streamap
