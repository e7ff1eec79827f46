// StreamMAP runtime: how a reduction is cut, stored and put together again.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every task adds to partials of its own, in a buffer at home; one more task, internal to the library, combines them into the
// target in order. Where the operator's result depends on the order (floating-point sums and products), a partial belongs to a
// fixed block of the index range, however many tasks there are; so the result is the same for every number of tasks and ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.h"
#include "streamap/abi.h"

namespace streamap {

/// Whether the result depends on the order of the operands.
bool dependsOnOrder(std::uint8_t op, std::uint8_t scalar);

/// Bytes of one element of an enum streamap_scalar type; 0 for STREAMAP_NOT_SCALAR.
std::size_t scalarBytes(std::uint8_t scalar);

/// Into how many blocks an index range of \p length indices is cut when a partial takes \p bytes bytes: enough to keep a cluster
/// busy, few enough that the partials stay small beside the memory of a machine. A function of these two alone.
std::int64_t reductionBlocks(std::uint64_t length, std::uint64_t bytes);

/// Uninitialised memory at home for partials; it goes when the last holder does.
using PartialsBuffer = std::shared_ptr<std::byte[]>;

/// One reduction parameter of one launch.
struct ReductionPlan {
  std::uint32_t param = 0;
  std::uint8_t op = 0, scalar = 0;
  std::vector<ByteRun> target; ///< a RunSet: what the combination may write
  ByteRun hull;                ///< from the first target byte to behind the last
  std::int64_t offset = 0;     ///< hull.lo - the parameter's value
  std::uint64_t stride = 0;    ///< bytes from one partial to the next, a multiple of 64
  HomeAddress partials = 0;    ///< the first one, congruent to hull.lo modulo 64
  PartialsBuffer buffer;

  /// Lays out \p count partials. The target must not be empty.
  void allocate(std::int64_t count);
};

/// The task that combines partials. Registered like any other, so that every rank knows it.
extern const streamap_task combineTask;

/// The pack of combineTask: `target = target op partial` for each of the first \p blocks partials, in order.
std::vector<std::byte> combinePack(const ReductionPlan &plan, std::int64_t blocks);

} // namespace streamap
