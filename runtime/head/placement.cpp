// StreamMAP runtime: from predecessors to a rank and the orders for it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>

#include "head/state.h"
#include "head/transfers.h"

namespace streamap {

void HeadState::enter(Task &task) {
  dependences.add(task.id, task.accesses, asksDone(), task.predecessors);
  for (Predecessor predecessor : task.predecessors) {
    Task &earlier = *log[predecessor.task].task;
    if (earlier.kind != TaskKind::Body) {
      earlier.finishFollowers.push_back(&task);
      ++task.awaited;
    } else if (earlier.stage != TaskStage::Placed) {
      earlier.followers.push_back(&task);
      ++task.awaited;
    }
  }
  if (task.awaited == 0)
    becomeReady(task);
}

void HeadState::becomeReady(Task &task) {
  task.stage = TaskStage::Ready;
  switch (task.kind) {
  case TaskKind::Body:
    task.ticket = placer->ready({task.id.value, task.demand, task.profile, task.cost, task.priority, task.deviceBytes}, now());
    return;
  case TaskKind::Gather:
    return placeGather(task);
  case TaskKind::Discard:
    return placeDiscard(task);
  }
}

void HeadState::placeAll() {
  if (failed)
    return;
  const Seconds time = now();
  while (const std::optional<Placement> placement = placer->next(*this, time))
    place(*log[EventId{placement->id}].task, placement->processor);
}

void HeadState::place(Task &task, ProcessorId processor) {
  const Place to = processors[processor].place;
  task.stage = TaskStage::Placed;
  task.rank = to.rank;
  task.memory = to.memory;
  homeDevicesUsed |= to.rank == headRank && to.memory != hostMemory;
  RunOrder order;
  TransferGroups groups;
  fetchAll(task, to, order.after, groups);
  for (Predecessor predecessor : task.predecessors) {
    if (done(predecessor.task))
      continue;
    Task &earlier = *log[predecessor.task].task;
    if (earlier.rank != to.rank) {
      // What it writes and this task reads arrives here, so it has finished by then; otherwise we must be told.
      if (predecessor.readsFrom)
        continue;
      tell(earlier, to.rank);
    }
    order.after.push_back(predecessor.task);
  }
  for (const TransferGroups::Group &group : groups.groups)
    order.after.push_back(group.order.transfer);
  std::sort(order.after.begin(), order.after.end());
  order.after.erase(std::unique(order.after.begin(), order.after.end()), order.after.end());
  order.bytesMoved = giveOut(groups, task);
  fillOrder(task, order);
  setup.desk.run(to.rank, std::move(order));
  for (Task *follower : task.followers)
    if (--follower->awaited == 0)
      becomeReady(*follower);
  task.followers.clear();
}

/// What the task reads must be valid in its place; what it writes is valid nowhere else.
void HeadState::fetchAll(Task &task, Place to, std::vector<EventId> &after, TransferGroups &groups) {
  for (const Access &access : task.accesses) {
    if (reads(access.mode))
      fetch(access.run, to, task, after, groups);
    if (!writes(access.mode))
      continue;
    directory.forEachLeftReader(access.run, to.rank, asksDone(), [&](EventId reader) {
      after.push_back(reader);
      tell(*log[reader].task, to.rank);
    });
    directory.wrote(access.run, to, task.version, task.id, asksDone());
  }
}

void HeadState::fillOrder(Task &task, RunOrder &order) const {
  order.task = task.id;
  order.pack = task.pack;
  order.shape = task.shape;
  order.memory = task.memory;
  order.priority = task.priority;
  order.cores = task.cores;
  order.share = task.share;
  order.reductions = std::move(task.reductions);
  if (setup.ranks[static_cast<std::size_t>(task.rank.value)].devices.empty())
    return;
  for (const Access &access : task.accesses) {
    if (reads(access.mode))
      order.reads.push_back(access.run);
    if (writes(access.mode))
      order.writes.push_back(access.run);
  }
}

/// Has the rank of \p task tell \p to when it is done, once.
void HeadState::tell(Task &task, Rank to) {
  if (to == task.rank || std::find(task.told.begin(), task.told.end(), to) != task.told.end())
    return;
  task.told.push_back(to);
  setup.desk.notify(task.rank, {task.id, to});
}

void HeadState::look(std::uint64_t id, Ties &ties) {
  const Task &task = *log[EventId{id}].task;
  const auto hold = [&](Place memory, std::uint64_t bytes) {
    for (Ties::Held &held : ties.held)
      if (held.memory == memory) {
        held.bytes += bytes;
        return;
      }
    ties.held.push_back({memory, bytes});
  };
  for (const Access &access : task.accesses)
    if (reads(access.mode)) {
      ties.reads += access.run.bytes();
      directory.look(access.run, [&](ByteRun part, const Piece &piece) {
        for (const Copy &copy : piece.copies)
          if (piece.isValid(copy))
            hold({copy.rank, copy.memory}, part.bytes());
      });
    }
  for (Predecessor predecessor : task.predecessors)
    if (!done(predecessor.task))
      if (const Task &earlier = *log[predecessor.task].task; earlier.kind == TaskKind::Body)
        ties.after.push_back(earlier.ticket);
}

void HeadState::loseDevice(const Task &task) {
  const ProcessorId device = processors.find({task.rank, task.memory});
  if (!placer->loadOf(device).healthy)
    return;
  std::vector<Ticket> there; // they end on the cores of their rank, which sees to it
  placer->lost(device, there);
  const Seconds time = now();
  for (const std::uint64_t id : placer->stranded()) {
    Task &waits = *log[EventId{id}].task;
    placer->withdrawn(waits.ticket, time);
    waits.demand = waits.coresDemand;
    becomeReady(waits);
  }
}

} // namespace streamap
