// StreamMAP runtime: the agent of a rank, with its slots.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/rank_agent.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <mutex>
#include <string>

#include "exec/crash.h"
#include "exec/rank_agent_state.h"
#include "exec/run_body.h"
#include "exec/run_on_device.h"
#include "observe/counters.h"
#include "observe/task_trace.h"

namespace streamap {
namespace {

/// How long an idle slot looks for work before it sleeps. Waking it costs about 5 us, so a gap of this order is worth spinning
/// over.
constexpr auto spinTime = std::chrono::microseconds(50);
/// Looks at the hint before the first yield: about a microsecond.
constexpr int looksBeforeYield = 64;

} // namespace

// ---- Under the lock

RunItem *RankAgent::State::newItem(RunOrder &&order) {
  RunItem *item;
  if (freeItems.empty()) {
    item = new RunItem;
  } else {
    item = freeItems.back();
    freeItems.pop_back();
  }
  item->order = std::move(order);
  item->missing = 0;
  return item;
}

/// Registers the item with each event that has not happened, and returns how many there are.
std::uint32_t RankAgent::State::awaitAll(const std::vector<EventId> &after, Waiting *item) {
  for (const EventId event : after)
    if (!events.hasHappened(event)) {
      events.await(event, item);
      ++item->missing;
    }
  if (item->missing > 0)
    waiting.fetch_add(1, std::memory_order_relaxed);
  return item->missing;
}

/// All events of the item have happened.
void RankAgent::State::release(Waiting *item, Outward &out) {
  switch (item->kind) {
  case Waiting::Kind::Run:
    return makeReady(static_cast<RunItem *>(item), out);
  case Waiting::Kind::Send: {
    const std::unique_ptr<SendItem> send(static_cast<SendItem *>(item));
    if (!cancelled)
      out.sends.push_back(std::move(send->order));
    return;
  }
  case Waiting::Kind::Tell: {
    const std::unique_ptr<TellItem> tell(static_cast<TellItem *>(item));
    out.tells.push_back(tell->order);
    return;
  }
  }
}

void RankAgent::State::markHappened(EventId event, Outward &out) {
  events.happen(event, releaseInto(out));
}

void RankAgent::State::makeReady(RunItem *item, Outward &out) {
  if (item->order.memory != hostMemory) {
    assert(lanes && "a rank without devices");
    lanes->push(deviceOf(item->order), item, item->order.priority, item->order.task.value);
    out.devices.push_back(deviceOf(item->order));
    return;
  }
  // A task never asks for more than the rank has: it would wait for ever.
  item->order.cores = std::clamp(item->order.cores, 1, std::max(setup.slots, 1));
  ready.push(item, item->order.priority, item->order.task.value);
  updateRunnable();
}

void RankAgent::State::updateRunnable() {
  const bool some = !ready.empty() && !cancelled && ready.top()->order.cores <= freeCores;
  runnable.store(some ? ready.size() : 0, std::memory_order_release);
}

/// The most urgent ready task, if there are cores for it. One that needs more cores is not overtaken, or it might never start.
RunItem *RankAgent::State::popReady() {
  if (runnable.load(std::memory_order_relaxed) == 0)
    return nullptr;
  RunItem *const item = ready.pop();
  freeCores -= item->order.cores;
  updateRunnable();
  return item;
}

/// Wakes one slot if there is more to do than awake slots will take. It wakes the next one in turn, so a burst costs the caller
/// one system call at most.
void RankAgent::State::wakeFor(Outward &out, int takingAnyway) {
  const auto served = static_cast<std::size_t>(spinners + takingAnyway);
  if (sleepers > 0 && runnable.load(std::memory_order_relaxed) > served) {
    --sleepers;
    ++out.wake;
  }
}

// ---- Without the lock

void RankAgent::State::act(Outward &out) {
  for (; out.wake > 0; --out.wake)
    sem_post(&sleeping);
  for (const NotifyOrder &order : out.tells)
    setup.outlet->tell(order.to, order.task);
  for (const int device : out.devices)
    lanes->wake(device);
  for (SendOrder &order : out.sends)
    depart(std::move(order));
}

/// Hands completions on until there are none. One thread at a time: the others go on with tasks.
void RankAgent::State::report(std::unique_lock<AdaptiveMutex> &lock) {
  if (reporter)
    return;
  reporter = true;
  while (!completions.empty()) {
    reporting.clear();
    reporting.swap(completions);
    lock.unlock();
    setup.outlet->completed(reporting);
    lock.lock();
  }
  reporter = false;
}

void RankAgent::State::execute(RunItem *item, int slot) {
  const RunOrder &order = item->order;
  const bool helped = slot >= setup.slots;
  const std::int64_t start = monotonicNs() + setup.clockOffsetNs;
  std::optional<std::string> wrong = prepareHost(order);
  if (!wrong)
    wrong = runBody(order, *setup.mirror);
  const std::int64_t end = monotonicNs() + setup.clockOffsetNs;
  if (wrong)
    return fail(item, *wrong, helped ? 0 : order.cores);
  setup.counters->add(Counter::Tasks);
  if (setup.trace)
    setup.trace->add({order.pack->key, order.task.value, order.pack->launch, order.shape.index, order.shape.count, start, end,
                      order.bytesMoved, slot, order.cores});
  finish(item, Completion{order.task, slot, start, end}, helped);
}

/// The item stays: its events never happen.
void RankAgent::State::fail(const RunItem *item, const std::string &what, int cores) {
  {
    std::lock_guard lock(mutex);
    cancelled = true;
    freeCores += cores;
    updateRunnable();
  }
  setup.outlet->failed(Failure{item->order.task, setup.rank, what});
}

void RankAgent::State::finish(RunItem *item, const Completion &completion, bool helped) {
  RunOrder old = std::move(item->order); // what it owns is freed without the lock
  Outward out;
  std::unique_lock lock(mutex);
  freeItems.push_back(item);
  if (!helped)
    freeCores += old.cores;
  markHappened(old.task, out);
  updateRunnable();
  completions.push_back(completion);
  wakeFor(out, helped ? 0 : 1);
  lock.unlock();
  for (const Rank rank : old.notify)
    out.tells.push_back({old.task, rank});
  act(out);
  lock.lock();
  report(lock);
}

/// Looks for work for a while. Returns when there may be some, or when it has been long enough.
bool RankAgent::State::spin() {
  const auto until = std::chrono::steady_clock::now() + spinTime;
  for (int looks = 0;; ++looks) {
    if (runnable.load(std::memory_order_acquire) > 0 || stopping.load(std::memory_order_relaxed))
      return true;
    if (looks < looksBeforeYield) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      continue;
    }
    if (std::chrono::steady_clock::now() >= until)
      return false;
    sched_yield();
  }
}

/// The next task for a slot; null when the rank stops.
RunItem *RankAgent::State::take() {
  bool hasSpun = false;
  std::unique_lock lock(mutex);
  while (!stopping.load(std::memory_order_relaxed)) {
    if (!completions.empty() && !reporter) {
      report(lock);
      continue;
    }
    if (RunItem *const item = popReady()) {
      Outward out;
      wakeFor(out, 0);
      lock.unlock();
      act(out);
      return item;
    }
    if (!hasSpun && spinners == 0) {
      ++spinners;
      lock.unlock();
      spin();
      lock.lock();
      --spinners;
      hasSpun = true;
      continue;
    }
    ++sleepers; // whoever wakes us takes us off
    lock.unlock();
    while (sem_wait(&sleeping) != 0) { // EINTR
    }
    lock.lock();
    hasSpun = false;
  }
  return nullptr;
}

void RankAgent::State::runSlot(int slot) {
  prepareCrashStack();
  while (RunItem *const item = take())
    execute(item, slot);
}

// ---- The agent

RankAgent::RankAgent(const AgentSetup &setup) : state_(std::make_unique<State>(setup)) {
  State *const state = state_.get();
  state->threads.reserve(static_cast<std::size_t>(setup.slots));
  for (int slot = 0; slot < setup.slots; ++slot)
    state->threads.emplace_back("streamap-" + std::to_string(slot), [state, slot] { state->runSlot(slot); });
  for (int device = 0; setup.memory && device < setup.memory->devices(); ++device)
    state->startLanes(device, setup.lanes);
}

RankAgent::~RankAgent() {
  stop();
  if (state_->stuck > 0)
    (void)state_.release(); // a parked thread still refers to it
}

void RankAgent::stop() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  for (std::size_t i = 0; i < state_->threads.size(); ++i)
    sem_post(&state_->sleeping);
  for (int device = 0; state_->lanes && device < state_->setup.memory->devices(); ++device)
    for (int lane = 0; lane < state_->laneCounts[static_cast<std::size_t>(device)]; ++lane)
      state_->lanes->wake(device);
  for (auto &thread : state_->threads)
    if (state_->stuck > 0)
      thread.detach();
    else
      thread.join();
  state_->threads.clear();
  if (state_->courier && state_->stuck == 0) // its last report may still be with the head
    state_->courier->finish();
}

void RankAgent::run(RunOrder order) {
  Outward out;
  if (order.memory != hostMemory && order.share < 100)
    state_->startLanes(deviceOf(order), 100 / order.share);
  {
    std::lock_guard lock(state_->mutex);
    RunItem *const item = state_->newItem(std::move(order));
    if (state_->awaitAll(item->order.after, item) > 0)
      return;
    state_->makeReady(item, out);
    state_->wakeFor(out, 0);
  }
  state_->act(out);
}

void RankAgent::send(SendOrder order) {
  assert(order.to.rank != state_->setup.rank && "one host memory a rank");
  Outward out;
  {
    std::lock_guard lock(state_->mutex);
    if (state_->cancelled)
      return;
    auto item = std::make_unique<SendItem>(std::move(order));
    if (state_->awaitAll(item->order.after, item.get()) > 0) {
      (void)item.release();
      return;
    }
    out.sends.push_back(std::move(item->order));
  }
  state_->act(out);
}

void RankAgent::notify(NotifyOrder order) {
  {
    std::lock_guard lock(state_->mutex);
    if (!state_->events.hasHappened(order.task)) {
      auto *const item = new TellItem(order);
      item->missing = 1;
      state_->waiting.fetch_add(1, std::memory_order_relaxed);
      state_->events.await(order.task, item);
      return;
    }
  }
  state_->setup.outlet->tell(order.to, order.task);
}

void RankAgent::forget(ForgetOrder order) {
  Outward out;
  {
    std::lock_guard lock(state_->mutex);
    state_->events.forget(order.below, state_->releaseInto(out));
    state_->wakeFor(out, 0);
  }
  state_->act(out);
}

void RankAgent::discard(DiscardOrder order) {
  if (state_->setup.memory)
    state_->setup.memory->hostChanges(order.runs);
  state_->setup.mirror->discard(order.runs);
  Outward out;
  {
    // The head's lock may be held by our caller: somebody else reports.
    std::lock_guard lock(state_->mutex);
    state_->markHappened(order.done, out);
    const std::int64_t now = monotonicNs() + state_->setup.clockOffsetNs;
    state_->completions.push_back(Completion{order.done, 0, now, now});
    if (state_->sleepers > 0) {
      --state_->sleepers;
      ++out.wake;
    }
  }
  state_->act(out);
  state_->setup.outlet->reportSoon();
}

bool RankAgent::help() {
  RunItem *item = nullptr;
  {
    std::lock_guard lock(state_->mutex);
    if (state_->cancelled || state_->ready.empty() || state_->ready.top()->order.cores != 1)
      return false;
    item = state_->ready.pop();
    state_->updateRunnable();
  }
  state_->execute(item, state_->setup.slots);
  return true;
}

void RankAgent::cancel() {
  std::lock_guard lock(state_->mutex);
  state_->cancelled = true;
  state_->updateRunnable();
}

void RankAgent::happen(EventId event) {
  Outward out;
  {
    std::lock_guard lock(state_->mutex);
    state_->markHappened(event, out);
    state_->wakeFor(out, 0);
  }
  state_->act(out);
}

void RankAgent::failTask(EventId task, const std::string &what) {
  ++state_->stuck;
  cancel();
  state_->setup.outlet->failed(Failure{task, state_->setup.rank, what});
}

void RankAgent::reportCompletions() {
  std::unique_lock lock(state_->mutex);
  if (!state_->completions.empty())
    state_->report(lock);
}

std::size_t RankAgent::waiting() const {
  return state_->waiting.load(std::memory_order_relaxed);
}

} // namespace streamap
