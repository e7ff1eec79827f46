// StreamMAP runtime: giving data back to main.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <map>

#include "abi/sections.h"
#include "head/state.h"
#include "head/transfers.h"
#include "observe/graph_record.h"

namespace streamap {
namespace {

/// Discarded bytes below which the ranks that hold copies are not told: their pages would not become free anyway.
constexpr std::uint64_t smallestDiscard = 64 * 1024;

} // namespace

Outcome HeadState::wait(std::unique_lock<AdaptiveMutex> &lock, Waiter &waiter) {
  waiters.wait(lock, waiter, [this](const Waiter &w) { return satisfied(w); });
  return failed ? Outcome::Failed : Outcome::Done;
}

RunSet HeadState::ownedParts(std::span<const ByteRun> runs) const {
  RunSet parts;
  for (ByteRun run : runs)
    owned.forEachIn(run, [&](ByteRun part, const streamap_task *) { parts.push_back(part); });
  normalise(parts);
  return parts;
}

/// Puts a gather or discard of the runs (a RunSet, not empty) behind all earlier tasks that use them.
void HeadState::startPseudoTask(TaskKind kind, std::span<const ByteRun> runs, Waiter &waiter) {
  Task *task = pool.take();
  task->id = log.add(task);
  task->kind = kind;
  task->rank = headRank;
  for (ByteRun run : runs)
    task->accesses.push_back({run, AccessMode::ReadWrite});
  task->waiter = &waiter;
  ++waiter.gathers;
  enter(*task);
}

/// All earlier users of the bytes are placed, so it is known where the last version is and what still needs home:
/// - the bytes come home, which also waits for their last writers elsewhere;
/// - tasks that use them at home must finish;
/// - readers elsewhere need not even start, but their copies must have left home.
void HeadState::placeGather(Task &gather) {
  gather.stage = TaskStage::Placed;
  gather.pending = 1; // ours, until all is counted
  for (Predecessor predecessor : gather.predecessors) {
    if (done(predecessor.task))
      continue;
    Task &earlier = *log[predecessor.task].task;
    if (earlier.rank == headRank) {
      earlier.finishFollowers.push_back(&gather);
      ++gather.pending;
      continue;
    }
    for (EventId transfer : earlier.transfers) {
      if (done(transfer) || log[transfer].sender != headRank || log[transfer].departed)
        continue;
      awaitedDepartures.push_back({transfer, &gather});
      ++gather.pending;
    }
  }
  TransferGroups groups;
  std::vector<EventId> after; // writers at home: predecessors, counted above
  for (const Access &access : gather.accesses)
    fetch(access.run, home, gather, after, groups);
  gather.pending += static_cast<std::uint32_t>(groups.groups.size());
  giveOut(groups, gather);
  pendingDone(gather);
}

void HeadState::pendingDone(Task &pseudo) {
  assert(pseudo.pending > 0);
  if (--pseudo.pending > 0)
    return;
  if (pseudo.kind == TaskKind::Gather) {
    if (pseudo.ordered || !orderSettling(pseudo))
      finishGather(pseudo);
  } else if (pseudo.ordered || !orderDiscards(pseudo))
    finishPseudoTask(pseudo);
}

/// Everything has come to this rank: now from its devices to its host memory.
bool HeadState::orderSettling(Task &gather) {
  gather.ordered = true;
  if (!homeDevicesUsed)
    return false;
  std::vector<ByteRun> runs;
  for (const Access &access : gather.accesses)
    runs.push_back(access.run);
  normalise(runs);
  gather.pending = 1;
  setup.desk.settle({log.add(&gather), std::move(runs)});
  return true;
}

/// Tells the ranks that hold much of the bytes to give their pages back. Returns whether there is an answer to wait for: only
/// then may other bytes arrive at the same addresses.
bool HeadState::orderDiscards(Task &discard) {
  discard.ordered = true;
  std::map<Rank, RunSet> held;
  for (const Access &access : discard.accesses)
    directory.look(access.run, [&](ByteRun part, const Piece &piece) {
      for (const Copy &copy : piece.copies)
        if (copy.rank != headRank)
          held[copy.rank].push_back(part);
    });
  for (auto &[rank, runs] : held) {
    normalise(runs);
    if (totalBytes(runs) < smallestDiscard)
      continue;
    ++discard.pending;
    setup.desk.discard(rank, {log.add(&discard), std::move(runs)});
  }
  if (homeDevicesUsed) { // main may unmap the memory: nothing must be written there any more
    std::vector<ByteRun> runs;
    for (const Access &access : discard.accesses)
      runs.push_back(access.run);
    ++discard.pending;
    setup.desk.discard(headRank, {log.add(&discard), std::move(runs)});
  }
  return discard.pending > 0;
}

/// \p reader goes on with old contents of what has been gathered. They are in its own rank's memory, and may still have to be
/// sent there from others': until it has finished, none of these may be overwritten.
void HeadState::leaveReader(const Task &reader, const Task &gather) {
  InlineVector<Rank, 4> memories;
  memories.push_back(reader.rank);
  for (EventId transfer : reader.transfers)
    if (Rank sender = done(transfer) ? headRank : log[transfer].sender;
        sender != headRank && std::find(memories.begin(), memories.end(), sender) == memories.end())
      memories.push_back(sender);
  auto gathered = gather.accesses.begin();
  for (const Access &access : reader.accesses) {
    while (gathered != gather.accesses.end() && gathered->run.hi <= access.run.lo)
      ++gathered;
    for (auto at = gathered; at != gather.accesses.end() && at->run.lo < access.run.hi; ++at)
      for (Rank rank : memories)
        directory.leaveReader({std::max(at->run.lo, access.run.lo), std::min(at->run.hi, access.run.hi)}, rank, reader.id);
  }
}

void HeadState::finishGather(Task &gather) {
  Version version = newVersion();
  for (const Access &access : gather.accesses)
    directory.returned(access.run, version, asksDone());
  for (Predecessor predecessor : gather.predecessors) {
    if (done(predecessor.task))
      continue;
    leaveReader(*log[predecessor.task].task, gather);
  }
  finishPseudoTask(gather);
}

void HeadState::finishPseudoTask(Task &pseudo) {
  pseudo.stage = TaskStage::Finished;
  if (pseudo.kind == TaskKind::Discard)
    for (const Access &access : pseudo.accesses)
      directory.forget(access.run);
  log.setDone(pseudo.id);
  if (pseudo.waiter)
    --pseudo.waiter->gathers;
  releaseFinishFollowers(pseudo);
  pool.give(&pseudo);
}

bool HeadState::departed(EventId transfer) {
  bool awaited = false;
  for (std::size_t k = awaitedDepartures.size(); k-- > 0;) {
    if (awaitedDepartures[k].transfer != transfer)
      continue;
    Task *gather = awaitedDepartures[k].gather;
    awaitedDepartures.erase(awaitedDepartures.begin() + static_cast<std::ptrdiff_t>(k));
    pendingDone(*gather);
    awaited = true;
  }
  return awaited;
}

/// Every user must have finished; then the ranks that hold much of it may give the pages back.
void HeadState::placeDiscard(Task &discard) {
  discard.stage = TaskStage::Placed;
  discard.pending = 1;
  auto follow = [&](EventId event) {
    if (done(event))
      return;
    log[event].task->finishFollowers.push_back(&discard);
    ++discard.pending;
  };
  for (Predecessor predecessor : discard.predecessors)
    follow(predecessor.task);
  for (const Access &access : discard.accesses)
    for (int rank = 1; rank < static_cast<int>(setup.ranks.size()); ++rank)
      directory.forEachLeftReader(access.run, Rank{rank}, asksDone(), follow);
  pendingDone(discard);
}

Outcome HeadState::waitHere(std::unique_lock<AdaptiveMutex> &lock, std::span<const ByteRun> runs) {
  Waiter waiter;
  for (ByteRun run : runs)
    dependences.users(run, true, asksDone(), waiter.events);
  for (ByteRun run : runs)
    owned.erase(run);
  return wait(lock, waiter);
}

Outcome Head::wait() {
  HeadState &head = *state;
  const RecordedCall call(head.setup.record);
  if (head.setup.record)
    head.setup.record->waited();
  head.setup.desk.flush();
  std::unique_lock lock(head.mutex);
  if (head.failed)
    return Outcome::Failed;
  Waiter waiter;
  RunSet all = head.ownedParts(std::vector<ByteRun>{{0, UINT64_MAX}});
  if (!head.alone && !all.empty()) {
    if (auto wrong = head.outInUnmappedPages(all, "main waited"))
      return head.fail(lock, *wrong);
    head.startPseudoTask(TaskKind::Gather, all, waiter);
  }
  head.owned.clear();
  waiter.below = head.log.next();
  lock.unlock();
  head.setup.desk.flush();
  lock.lock();
  return head.wait(lock, waiter);
}

Outcome Head::waitOn(std::span<const streamap_region> regions) {
  std::vector<ByteRun> runs;
  for (const streamap_region &region : regions)
    if (regionRuns(region, runs) != SectionFault::None) {
      std::unique_lock lock(state->mutex);
      return state->fail(lock, "a region of `wait on` leaves the 64-bit address space");
    }
  normalise(runs);
  return state->waitOnRuns(runs);
}

Outcome Head::waitOnBytes(HomeAddress address, std::uint64_t bytes) {
  if (bytes == 0)
    return Outcome::Done;
  ByteRun run{address, address + bytes};
  return state->waitOnRuns({&run, 1});
}

Outcome HeadState::waitOnRuns(std::span<const ByteRun> runs) {
  const RecordedCall call(setup.record);
  if (setup.record)
    setup.record->waited(runs);
  setup.desk.flush();
  std::unique_lock lock(mutex);
  if (failed)
    return Outcome::Failed;
  if (alone)
    return waitHere(lock, runs);
  Waiter waiter;
  for (ByteRun run : runs) // another thread may be having the same bytes brought home
    dependences.users(run, false, asksDone(), waiter.events);
  RunSet parts = ownedParts(runs);
  if (!parts.empty()) {
    if (auto wrong = outInUnmappedPages(parts, "main waited"))
      return fail(lock, *wrong);
    startPseudoTask(TaskKind::Gather, parts, waiter);
  }
  for (ByteRun part : parts)
    owned.erase(part);
  lock.unlock();
  setup.desk.flush();
  lock.lock();
  return wait(lock, waiter);
}

Outcome Head::discard(std::span<const streamap_region> regions) {
  HeadState &head = *state;
  RunSet runs;
  for (const streamap_region &region : regions)
    if (regionRuns(region, runs) != SectionFault::None) {
      std::unique_lock lock(head.mutex);
      return head.fail(lock, "a region of `discard` leaves the 64-bit address space");
    }
  normalise(runs);
  if (runs.empty())
    return Outcome::Done;
  head.setup.desk.flush();
  std::unique_lock lock(head.mutex);
  if (head.failed)
    return Outcome::Failed;
  if (head.alone)
    return head.waitHere(lock, runs);
  Waiter waiter;
  for (ByteRun run : runs)
    head.owned.erase(run);
  head.startPseudoTask(TaskKind::Discard, runs, waiter);
  lock.unlock();
  head.setup.desk.flush();
  lock.lock();
  return head.wait(lock, waiter);
}

} // namespace streamap
