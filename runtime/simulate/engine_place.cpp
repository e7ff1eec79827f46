// StreamMAP simulator: what the head does about a placement.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>

#include "simulate/engine.h"

namespace streamap::simulate {

void Engine::look(std::uint64_t id, Ties &ties) {
  LiveTask &task = live(liveOf[id]);
  for (std::size_t k = 0; k < task.uses.size(); ++k) {
    const Use &use = task.uses[k];
    if (!reads(use.mode))
      continue;
    const std::uint64_t bytes = program.bytesOf(use.datum);
    ties.reads += bytes;
    for (const RankCopy &copy : versions[current[use.datum.value]].copies)
      for (std::uint64_t left = copy.planned; left != 0; left &= left - 1)
        ties.held.push_back({{copy.rank, MemoryIndex{static_cast<std::uint16_t>(std::countr_zero(left))}}, bytes});
  }
  std::sort(ties.held.begin(), ties.held.end(), [](const Ties::Held &a, const Ties::Held &b) { return a.memory < b.memory; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < ties.held.size(); ++k) {
    if (kept > 0 && ties.held[kept - 1].memory == ties.held[k].memory)
      ties.held[kept - 1].bytes += ties.held[k].bytes;
    else
      ties.held[kept++] = ties.held[k];
  }
  ties.held.resize(kept);
  for (const Earlier &earlier : task.predecessors)
    if (const std::uint32_t index = indexOf(earlier.number); index != nothing)
      ties.after.push_back(live(index).ticket);
}

void Engine::placeAll() {
  for (;;) {
    if (error || !outcome.stopped.empty())
      return;
    const double begin = clock();
    const std::optional<Placement> placement = placer.next(*this, now);
    outcome.assignTime += clock() - begin;
    if (!placement)
      return;
    place(live(liveOf[placement->id]), placement->processor);
  }
}

void Engine::place(LiveTask &task, ProcessorId processor) {
  task.stage = Stage::Placed;
  task.processor = processor;
  task.pending = 1; // its order
  if (task.reads.empty() && task.writes.empty())
    chooseVersions(task);
  followPredecessors(task);
  awaitInputs(task);
  writeVersions(task);
  events.add(network.tell(headRank, rankOf(processor), now), EventKind::OrderArrives, indexOf(task), task.life);
  for (const std::uint32_t follower : task.followers)
    if (LiveTask &later = live(follower); --later.awaited == 0)
      becomeReady(later);
  task.followers.clear();
}

/// Which versions it reads, and which it makes: as of its place in the program.
void Engine::chooseVersions(LiveTask &task) {
  for (const Use &use : task.uses) {
    if (!reads(use.mode))
      continue;
    task.reads.push_back(current[use.datum.value]);
    ++versions[current[use.datum.value]].references;
  }
  for (const Use &use : task.uses) {
    if (!writes(use.mode))
      continue;
    const std::uint32_t made = versions.take(use.datum);
    ++versions[made].references; // the writer's own
    task.writes.push_back(made);
    release(current[use.datum.value]);
    current[use.datum.value] = made;
  }
}

void Engine::followPredecessors(LiveTask &task) {
  const Waiter waiter{indexOf(task), task.life};
  for (const Earlier &earlier : task.predecessors) {
    const std::uint32_t index = indexOf(earlier.number);
    if (index == nothing)
      continue;
    LiveTask &before = live(index);
    const bool here = rankOf(before.processor) == rankOf(task.processor);
    if (before.stage == Stage::Ended) {
      if (!here && !earlier.readsFrom) { // the news has yet to come
        ++task.pending;
        events.add(network.tell(rankOf(before.processor), rankOf(task.processor), now), EventKind::NewsArrives, waiter.task,
                   waiter.life);
      }
      continue;
    }
    if (here) {
      ++task.pending;
      before.behind.push_back(waiter);
    } else if (!earlier.readsFrom) { // otherwise the data says so
      ++task.pending;
      before.toTell.push_back(waiter);
    }
  }
}

/// Everything that it reads comes to its rank.
void Engine::awaitInputs(LiveTask &task) {
  const Rank rank = rankOf(task.processor);
  const std::uint64_t bit = bitOf(table[task.processor].place.memory);
  for (const std::uint32_t number : task.reads) {
    const std::uint32_t transfer = requestCopy(number, rank, false);
    if (!outcome.stopped.empty())
      return;
    if (RankCopy *const copy = versions[number].at(rank))
      copy->planned |= bit;
    if (transfer == nothing)
      continue;
    ++task.pending;
    transfers[transfer].waiters.push_back({indexOf(task), task.life});
  }
}

void Engine::writeVersions(LiveTask &task) {
  const Rank rank = rankOf(task.processor);
  for (const std::uint32_t number : task.writes) {
    DataVersion &version = versions[number];
    version.writer = task.number;
    // Of an earlier life there may be copies that are on their way to others; they will come from here.
    for (std::uint32_t k = version.copies.size(); k-- > 0;)
      if (version.copies[k].arriving == nothing || version.copies[k].rank == rank)
        version.copies.eraseUnordered(k);
    RankCopy copy;
    copy.rank = rank;
    copy.planned = bitOf(table[task.processor].place.memory);
    version.copies.push_back(copy);
    const DatumId datum = version.datum;
    if (!away[datum.value]) {
      away[datum.value] = true;
      awayList.push_back(datum);
    }
    if ((allComesHome || wanted[datum.value]) && lastUses[datum.value].writer == task.number) {
      wanted[datum.value] = true;
      wantHome(datum);
    }
  }
}

} // namespace streamap::simulate
