// StreamMAP runtime: a task as the head knows it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assign/placer.h"
#include "base/ids.h"
#include "base/inline_vector.h"
#include "exec/orders.h"
#include "graph/accesses.h"
#include "graph/dependences.h"
#include "graph/reduction.h"

namespace streamap {

struct Waiter;

enum class TaskKind : std::uint8_t {
  Body,   ///< runs a body on some rank
  Gather, ///< runs nothing: brings bytes home and gives them back to main
  Discard ///< runs nothing: makes bytes undefined everywhere
};

enum class TaskStage : std::uint8_t {
  Waiting, ///< some predecessor is not placed
  Ready,   ///< may be placed
  Placed,  ///< has its rank, or (Gather, Discard) has given its orders
  Finished
};

/// Everything about one unfinished task. Gathers and discards are tasks too, so that the order of the program holds for them as
/// well; those who come after them wait until they have finished, not only until they are placed.
struct Task {
  EventId id;
  TaskKind kind = TaskKind::Body;
  TaskStage stage = TaskStage::Waiting;
  bool ordered = false; ///< Discard, Gather: the ranks have been told
  Rank rank{-1};
  MemoryIndex memory;           ///< of that rank: where it runs
  Ticket ticket = noTicket;     ///< Body, unless one rank is alone: the Placer's
  DemandId demand, coresDemand; ///< where it may go; where, when no device is left that can run it
  ProfileId profile = noProfile;
  double cost = 0;   ///< cost(e) of this task, 0: not given
  Bytes deviceBytes; ///< that it takes on a device
  std::int32_t cores = 1;
  std::int32_t share = 100;
  std::int32_t priority = 0;
  std::uint32_t awaited = 0; ///< predecessors that keep it from being placed
  std::uint32_t pending = 0; ///< Gather, Discard: events that keep it from finishing
  Version version;           ///< of what it writes
  std::shared_ptr<const LaunchPack> pack;
  TaskShape shape;
  std::vector<Access> accesses;
  std::vector<Predecessor> predecessors;
  std::vector<ReductionPart> reductions;
  InlineVector<Task *, 2> followers;       ///< hear when it is placed
  InlineVector<Task *, 2> finishFollowers; ///< hear when it has finished
  InlineVector<EventId, 2> transfers;      ///< that bring it its data
  InlineVector<Rank, 2> told;              ///< ranks that are told when it has finished
  std::vector<PartialsBuffer> partials;    ///< combinations: what they combine, freed at the end
  std::vector<ByteRun> scratch;            ///< the same as addresses
  Waiter *waiter = nullptr;                ///< Gather, Discard: who waits for it

  void reset() {
    id = {};
    kind = TaskKind::Body;
    stage = TaskStage::Waiting;
    ordered = false;
    rank = Rank{-1};
    memory = hostMemory;
    ticket = noTicket;
    demand = coresDemand = {};
    profile = noProfile;
    cost = 0;
    deviceBytes = {};
    cores = 1;
    share = 100;
    priority = 0;
    awaited = pending = 0;
    version = {};
    pack.reset();
    shape = {};
    accesses.clear();
    predecessors.clear();
    reductions.clear();
    followers.clear();
    finishFollowers.clear();
    transfers.clear();
    told.clear();
    partials.clear();
    scratch.clear();
    waiter = nullptr;
  }
};

/// Tasks are used again, with the room their vectors have. Not thread-safe.
class TaskPool {
public:
  Task *take() {
    if (idle.empty()) {
      blocks.push_back(std::make_unique<Task[]>(tasksPerBlock));
      for (std::size_t k = tasksPerBlock; k-- > 0;)
        idle.push_back(&blocks.back()[k]);
    }
    Task *task = idle.back();
    idle.pop_back();
    return task;
  }
  void give(Task *task) {
    task->reset();
    idle.push_back(task);
  }

private:
  static constexpr std::size_t tasksPerBlock = 64;
  std::vector<std::unique_ptr<Task[]>> blocks;
  std::vector<Task *> idle;
};

} // namespace streamap
