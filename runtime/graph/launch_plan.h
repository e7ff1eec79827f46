// StreamMAP runtime: one call of a task function, worked out: how many tasks, which indices, which bytes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "abi/sections.h"
#include "base/bytes.h"
#include "base/result.h"
#include "exec/orders.h"
#include "graph/accesses.h"
#include "graph/independence.h"
#include "graph/reduction.h"
#include "streamap/abi.h"

namespace streamap {

/// One task of a launch.
struct PlannedTask {
  std::uint8_t kind = STREAMAP_KIND_ANY; ///< enum streamap_kind
  TaskShape shape;
  std::uint32_t firstAccess = 0, accesses = 0; ///< in LaunchPlan::accesses
  std::int64_t firstBlock = 0;                 ///< its first partial, of every reduction
  Bytes deviceBytes;                           ///< what it takes on a device, if it may run on one
  bool aliased = false;                        ///< its sections overlap so that it cannot
};

/// What a resource list may refer to.
struct ClusterSize {
  std::int64_t slots = 1;   ///< CPU slots of all ranks: `*:C`
  std::int64_t devices = 0; ///< GPUs of all ranks: `*:G`
  /// How fast each of the tasks of a split should be, for cutting its range; empty: alike. Null: all are.
  std::function<std::vector<double>(const streamap_task &task, std::span<const PlannedTask> tasks, std::int32_t cores)> weigh;
};

/// The outcome of planLaunch, and the room it works in: one is reused for all launches of a thread.
class LaunchPlan {
public:
  std::vector<PlannedTask> tasks;
  std::vector<Access> accesses;          ///< of each task: sorted, disjoint; partials of reductions included
  std::vector<ReductionPlan> reductions; ///< only those that need partials
  std::int64_t combinedBlocks = 0;       ///< partials to combine; those behind them hold the identity
  std::int64_t partialCount = 0;         ///< partials in all
  std::int32_t priority = 0;
  std::int32_t cores = 1;
  std::int32_t share = 100; ///< percent of a device
  std::string notice;       ///< something the user should hear, or empty

  std::span<const Access> accessesOf(const PlannedTask &task) const {
    return std::span(accesses).subspan(task.firstAccess, task.accesses);
  }

  /// The part of the split range that a task has; 1 where nothing is split.
  double partOf(const PlannedTask &task) const;

  /// Works out one call. Errors are the user's: sections that cannot be, tasks that are not independent, senseless numbers; their
  /// text begins with the pragma's file and line.
  Result<void> build(const streamap_task &task, const void *pack, const ClusterSize &cluster);

private:
  struct Range {
    std::int64_t lo = 0;
    std::uint64_t length = 0;
    /// The index \p distance indices behind lo.
    std::int64_t at(std::uint64_t distance) const { return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + distance); }
  };

  Result<void> countTasks();
  Result<void> numberTasks(std::span<const std::int64_t> counts);
  void readRange();
  bool wantsPartials() const;
  void cut();
  std::vector<double> startsOfChunks();
  void cutByBlocks();
  Result<void> collect();
  Result<void> emit(const PlannedTask &planned, std::int64_t lo, std::int64_t hi);
  void measureOnDevice(PlannedTask &planned);
  void touchSections(std::uint32_t owner, std::vector<Touch> &touches, std::uint32_t firstName);
  Result<void> checkIndependence(bool byBlocks);
  void runWhole(const Conflict &conflict);
  void addSections(PlannedTask &planned);
  void addReductionTarget(const Section &section);
  void layOutPartials();
  std::string where() const;
  std::string describe(const Conflict &conflict) const;
  tl::unexpected<Error> fail(const std::string &text) const;
  const streamap_param &param(std::uint32_t index) const;

  const streamap_task *descriptor = nullptr;
  const void *arguments = nullptr;
  const ClusterSize *size = nullptr;
  std::vector<streamap_grid> grids, clipped;
  Range range;
  bool split = false, partials = false, blocks = false;
  std::int64_t blockLength = 0;
  std::vector<double> starts; ///< of chunks that are not alike; see startsOfChunks
  streamap_sink sink;
  std::vector<Touch> touches;
  struct SectionName {
    std::uint32_t param, elementBytes;
    HomeAddress base;
  };
  std::vector<SectionName> names; ///< of touches, for messages
};

} // namespace streamap
