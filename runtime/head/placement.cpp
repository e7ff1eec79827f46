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
    return assignerOf(task).add({task.id, task.priority, task.cores, task.allowed.get()});
  case TaskKind::Gather:
    return placeGather(task);
  case TaskKind::Discard:
    return placeDiscard(task);
  }
}

void HeadState::placeAll() {
  if (failed)
    return;
  for (bool some = true; some;) {
    some = false;
    while (std::optional<ChosenPlacement> placement = assigner.next(*this)) {
      place(*log[placement->task].task, placement->rank);
      some = true;
    }
    while (std::optional<ChosenPlacement> placement = deviceAssigner ? deviceAssigner->next(*this) : std::nullopt) {
      Task &task = *log[placement->task].task;
      task.device = placement->rank.value;
      const DevicePlace &device = devices[static_cast<std::size_t>(task.device)];
      homeDevicesUsed |= device.rank == headRank;
      place(task, device.rank);
      some = true;
    }
  }
}

void HeadState::place(Task &task, Rank rank) {
  task.stage = TaskStage::Placed;
  task.rank = rank;
  RunOrder order;
  TransferGroups groups;
  for (const Access &access : task.accesses) {
    if (reads(access.mode))
      fetch(access.run, rank, task, order.after, groups);
    if (!writes(access.mode))
      continue;
    directory.forEachLeftReader(access.run, rank, asksDone(), [&](EventId reader) {
      order.after.push_back(reader);
      tell(*log[reader].task, rank);
    });
    directory.wrote(access.run, rank, task.version, task.id, asksDone());
  }
  for (Predecessor predecessor : task.predecessors) {
    if (done(predecessor.task))
      continue;
    Task &earlier = *log[predecessor.task].task;
    if (earlier.rank != rank) {
      // What it writes and this task reads arrives here, so it has finished by then; otherwise we must be told.
      if (predecessor.readsFrom)
        continue;
      tell(earlier, rank);
    } else if (earlier.strand) {
      earlier.strand = false;
      assignerOf(earlier).continued(assignedPlace(earlier));
    }
    order.after.push_back(predecessor.task);
  }
  task.strand = true;
  for (const TransferGroups::Group &group : groups.groups)
    order.after.push_back(group.order.transfer);
  std::sort(order.after.begin(), order.after.end());
  order.after.erase(std::unique(order.after.begin(), order.after.end()), order.after.end());
  order.bytesMoved = giveOut(groups, task);
  order.task = task.id;
  order.pack = task.pack;
  order.shape = task.shape;
  order.priority = task.priority;
  order.cores = task.cores;
  order.reductions = std::move(task.reductions);
  if (task.device != Task::noDevice)
    order.memory = devices[static_cast<std::size_t>(task.device)].memory;
  if (!setup.ranks[static_cast<std::size_t>(rank.value)].devices.empty())
    for (const Access &access : task.accesses) {
      if (reads(access.mode))
        order.reads.push_back(access.run);
      if (writes(access.mode))
        order.writes.push_back(access.run);
    }
  setup.desk.run(rank, std::move(order));
  for (Task *follower : task.followers)
    if (--follower->awaited == 0)
      becomeReady(*follower);
  task.followers.clear();
}

/// Has the rank of \p task tell \p to when it is done, once.
void HeadState::tell(Task &task, Rank to) {
  if (to == task.rank || std::find(task.told.begin(), task.told.end(), to) != task.told.end())
    return;
  task.told.push_back(to);
  setup.desk.notify(task.rank, {task.id, to});
}

void HeadState::affinities(EventId event, std::vector<Affinity> &ties) {
  const Task &task = *log[event].task;
  auto at = [&](Rank rank) -> Affinity & {
    for (Affinity &tie : ties)
      if (tie.rank == rank)
        return tie;
    ties.push_back({rank});
    return ties.back();
  };
  // To the devices' assigner a device is a rank; which of a rank's memories has the bytes is the rank's own business.
  const bool forDevice = task.device != Task::noDevice;
  auto addBytes = [&](Rank rank, std::uint64_t bytes) {
    if (!forDevice) {
      at(rank).bytes += bytes;
      return;
    }
    for (std::size_t k = 0; k < devices.size(); ++k)
      if (devices[k].rank == rank)
        at(Rank{static_cast<int>(k)}).bytes += bytes;
  };
  for (const Access &access : task.accesses)
    if (reads(access.mode))
      directory.look(access.run, [&](ByteRun part, const Piece &piece) {
        for (const Copy &copy : piece.copies)
          if (piece.isValid(copy))
            addBytes(copy.rank, part.bytes());
      });
  for (Predecessor predecessor : task.predecessors)
    if (!done(predecessor.task))
      if (const Task &earlier = *log[predecessor.task].task; earlier.strand && forDevice == (earlier.device != Task::noDevice))
        ++at(assignedPlace(earlier)).continues;
  std::sort(ties.begin(), ties.end(), [](const Affinity &a, const Affinity &b) { return a.rank < b.rank; });
}

} // namespace streamap
