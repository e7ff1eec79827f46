// StreamMAP runtime: what a G task needs in device memory, and where its pointers go.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/run_set.h"
#include "exec/orders.h"
#include "streamap/abi.h"

struct streamap_sink;

namespace streamap {

/// One stretch that must be contiguous on the device.
struct DeviceStretch {
  ByteRun hull;
  RunSet reads, writes; ///< of the task, within the hull
};

/// Where a pointer parameter points to.
struct DevicePointerParam {
  std::uint32_t param = 0;
  std::uint32_t stretch = 0;
  std::int32_t reduction = -1; ///< number of the ReductionPart whose partials it points to; -1: the home address, moved
};

/// A G task's memory. Sections of one parameter share a stretch, as do sections that overlap, so that one distance between home
/// and device serves each pointer and aliasing behaves as at home.
struct DeviceLayout {
  std::vector<DeviceStretch> stretches;
  std::vector<DevicePointerParam> pointers;
  Bytes extra; ///< that the task says it takes beyond its sections: memory(e)
  /// It writes a section that overlaps another parameter's at another address: kernels may assume that this does not happen.
  bool aliased = false;

  /// Device memory that the task takes at most.
  Bytes bytes() const;
};

/// The most that one stretch takes: device addresses are congruent to home's modulo this.
inline constexpr std::uint64_t congruence = 4096;
/// What a stretch of so many bytes takes at most.
Bytes stretchBytes(std::uint64_t hull);

/// The layout of a task whose sections are in \p sink, whose pack is \p pack, and whose partials are \p reductions for \p blocks
/// blocks. Pure.
DeviceLayout layOut(const streamap_sink &sink, const streamap_task &task, const void *pack,
                    std::span<const ReductionPart> reductions, std::int64_t blocks);

/// The same without the partials of reductions: of the task alone, before it is known where they are. \p partials: it has some,
/// so that sections of reductions stay away from the device.
DeviceLayout layOutSections(const streamap_sink &sink, const streamap_task &task, const void *pack, bool partials);

/// The same for an order: runs the `sections` thunk for its chunk. Any thread.
DeviceLayout layOut(const RunOrder &order);

} // namespace streamap
