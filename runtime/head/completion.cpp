// StreamMAP runtime: what the head does when something has happened.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "head/state.h"

namespace streamap {
namespace {

/// Events that must have become old before all ranks are told to forget them.
constexpr std::uint64_t forgetStep = 1024;

} // namespace

void HeadState::bodyDone(Task &task, const Completion &completion) {
  task.stage = TaskStage::Finished;
  for (EventId transfer : task.transfers)
    transferDone(transfer);
  if (!alone) {
    const bool elsewhere = completion.memory != task.memory;
    if (elsewhere)
      loseDevice(task);
    const bool timed = setup.now && !elsewhere;
    placer->finished(task.ticket, now(), timed ? static_cast<double>(completion.endNs - completion.startNs) * 1e-9 : -1);
  }
  for (ByteRun run : task.scratch)
    directory.forget(run);
  log.setDone(task.id);
  unfinished.fetch_sub(1, std::memory_order_relaxed);
  releaseFinishFollowers(task);
  pool.give(&task);
}

void HeadState::releaseFinishFollowers(Task &task) {
  // Those that follow may finish and be used again within the loop; the list itself is not touched any more.
  for (Task *follower : task.finishFollowers) {
    if (follower->stage == TaskStage::Waiting) {
      if (--follower->awaited == 0)
        becomeReady(*follower);
    } else {
      pendingDone(*follower);
    }
  }
}

void HeadState::forgetOldEvents() {
  EventId low = log.low();
  if (low.value - forgotten.value < forgetStep)
    return;
  forgotten = low;
  for (int rank = 0; rank < static_cast<int>(setup.ranks.size()); ++rank)
    setup.desk.forget(Rank{rank}, {low});
}

/// A program that goes on to ever new addresses leaves pieces behind that say no more than that home has the bytes.
void HeadState::pruneDirectory() {
  if (directory.size() < pruneAt)
    return;
  directory.prune(asksDone());
  pruneAt = std::max(smallestPruned, 2 * directory.size());
}

bool HeadState::satisfied(const Waiter &waiter) const {
  if (waiter.gathers > 0 || log.low() < waiter.below || unfinished.load(std::memory_order_relaxed) > waiter.tasksAtMost)
    return false;
  for (EventId event : waiter.events)
    if (!log.done(event))
      return false;
  return true;
}

void HeadState::wakeWaiters() {
  waiters.check([this](const Waiter &waiter) { return satisfied(waiter); });
}

/// What has happened may make room, end waits, and give orders that should leave now.
void HeadState::goOn(std::unique_lock<AdaptiveMutex> &lock) {
  if (!alone)
    placeAll();
  forgetOldEvents();
  pruneDirectory();
  wakeWaiters();
  lock.unlock();
  if (!alone)
    setup.desk.flush();
}

void Head::onCompletions(const std::vector<Completion> &done, Rank) {
  HeadState &head = *state;
  std::unique_lock lock(head.mutex);
  if (head.failed)
    return;
  for (const Completion &completion : done) {
    Task &task = *head.log[completion.task].task;
    if (task.id == completion.task) {
      head.bodyDone(task, completion);
    } else { // one rank has carried out its part of a discard
      head.log.setDone(completion.task);
      head.pendingDone(task);
    }
  }
  head.goOn(lock);
}

void Head::onHomeArrival(EventId transfer) {
  HeadState &head = *state;
  std::unique_lock lock(head.mutex);
  if (head.failed || head.log.done(transfer))
    return;
  Task &task = *head.log[transfer].task;
  head.transferDone(transfer);
  if (task.kind != TaskKind::Gather)
    return;
  head.pendingDone(task);
  head.goOn(lock);
}

void Head::onHomeDeparture(EventId transfer) {
  HeadState &head = *state;
  std::unique_lock lock(head.mutex);
  if (head.failed)
    return;
  if (!head.done(transfer))
    head.log[transfer].departed = true;
  if (head.departed(transfer))
    head.goOn(lock);
}

void Head::onFailure(const Failure &failure) {
  HeadState &head = *state;
  std::unique_lock lock(head.mutex);
  std::string text = "rank " + std::to_string(failure.rank.value) + ": " + failure.what;
  if (failure.task != happened && !head.done(failure.task)) {
    const Task &task = *head.log[failure.task].task;
    if (task.id == failure.task && task.pack) {
      const streamap_task &descriptor = *task.pack->task;
      text = placeOf(descriptor) + "task " + std::to_string(task.shape.index) + " of " + std::to_string(task.shape.count) +
             " of " + descriptor.name + " failed on rank " + std::to_string(failure.rank.value) + ": " + failure.what;
    }
  }
  head.fail(lock, text);
}

} // namespace streamap
