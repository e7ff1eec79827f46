// StreamMAP runtime: the agent of a rank, with its slots.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/rank_agent.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <mutex>
#include <string>

#include "base/adaptive_mutex.h"
#include "base/work_queue.h"
#include "exec/crash.h"
#include "exec/device_lanes.h"
#include "exec/event_table.h"
#include "exec/rank_memory.h"
#include "exec/ready_queue.h"
#include "exec/run_body.h"
#include "exec/run_on_device.h"
#include "exec/slot_thread.h"
#include "observe/counters.h"
#include "observe/log.h"
#include "observe/task_trace.h"

namespace streamap {
namespace {

/// How long an idle slot looks for work before it sleeps. Waking it costs about 5 us, so a gap of this order is worth spinning
/// over.
constexpr auto spinTime = std::chrono::microseconds(50);
/// Looks at the hint before the first yield: about a microsecond.
constexpr int looksBeforeYield = 64;

std::int64_t monotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// An order of which some events have not happened.
struct Waiting {
  enum class Kind : std::uint8_t { Run, Send, Tell };
  explicit Waiting(Kind k) : kind(k) {}
  Kind kind;
  std::uint32_t missing = 0;
};
struct RunItem : Waiting {
  RunItem() : Waiting(Kind::Run) {}
  RunOrder order;
};
struct SendItem : Waiting {
  explicit SendItem(SendOrder &&o) : Waiting(Kind::Send), order(std::move(o)) {}
  SendOrder order;
};
struct TellItem : Waiting {
  explicit TellItem(NotifyOrder o) : Waiting(Kind::Tell), order(o) {}
  NotifyOrder order;
};

/// What is to be done once the lock is gone.
struct Outward {
  std::vector<SendOrder> sends;
  std::vector<NotifyOrder> tells;
  int wake = 0;             ///< slots to wake
  std::vector<int> devices; ///< with one more task each
};

} // namespace

struct RankAgent::State {
  explicit State(const AgentSetup &s) : setup(s), freeCores(s.slots) {
    sem_init(&sleeping, 0, 0);
    if (setup.memory) {
      lanes = std::make_unique<DeviceLanes<RunItem *>>(setup.memory->devices());
      courier = std::make_unique<WorkQueue>();
    }
  }
  ~State() {
    for (RunItem *item : freeItems)
      delete item;
    sem_destroy(&sleeping);
  }

  const AgentSetup setup;
  AdaptiveMutex mutex;

  // Everything below is guarded by `mutex`, but for the atomics, which are written under it.
  EventTable<Waiting *> events;
  ReadyQueue<RunItem *> ready;
  std::vector<RunItem *> freeItems;
  std::vector<Completion> completions, reporting; ///< `reporting` belongs to whoever set `reporter`
  bool reporter = false;
  bool cancelled = false;
  std::atomic<bool> stopping{false};
  std::atomic<std::size_t> runnable{0}; ///< tasks that a slot could take now
  std::atomic<std::size_t> waiting{0};
  std::atomic<int> stuck{0}; ///< threads that crashed inside a task
  int freeCores;
  int spinners = 0; ///< slots that look for work: at most one, the others sleep
  int sleepers = 0;
  sem_t sleeping;
  std::vector<SlotThread> threads;
  std::unique_ptr<DeviceLanes<RunItem *>> lanes; ///< null: no devices
  std::vector<bool> toldOfLoss;                  ///< by device
  std::unique_ptr<WorkQueue> courier;            ///< what must first come from a device; not guarded

  RunItem *newItem(RunOrder &&order);
  std::uint32_t awaitAll(const std::vector<EventId> &after, Waiting *item);
  void release(Waiting *item, Outward &out);
  void markHappened(EventId event, Outward &out);
  /// For EventTable: one of the events that an item waits for has happened.
  auto releaseInto(Outward &out) {
    return [this, &out](Waiting *item) {
      if (--item->missing == 0) {
        waiting.fetch_sub(1, std::memory_order_relaxed);
        release(item, out);
      }
    };
  }
  void makeReady(RunItem *item, Outward &out);
  RunItem *popReady();
  void updateRunnable();
  void wakeFor(Outward &out, int takingAnyway);
  void act(Outward &out);
  RunItem *take();
  bool spin();
  void execute(RunItem *item, int slot);
  std::optional<std::string> prepareHost(const RunOrder &order);
  void fail(const RunItem *item, const std::string &what, int cores);
  void executeOnDevice(RunItem *item, int device, int lane, const DeviceResult<DeviceLane> &queue);
  void fallBack(RunItem *item, int device, const std::string &why);
  void runLane(int device, int lane);
  void depart(SendOrder order);
  void complete(EventId event);
  void finish(RunItem *item, const Completion &completion, bool helped);
  void report(std::unique_lock<AdaptiveMutex> &lock);
  void runSlot(int slot);
};

// ---- Under the lock
// -------------------------------------------------------------------------------------------------------------

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
// -----------------------------------------------------------------------------------------------------------

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

/// Bytes that only a device has come to the host first, on a thread that may wait for them.
void RankAgent::State::depart(SendOrder order) {
  if (!setup.memory || setup.memory->isOnHost(order.runs))
    return setup.outlet->transfer(std::move(order));
  courier->add([this, order = std::move(order)] {
    if (const auto brought = setup.memory->bringToHost(order.runs); !brought)
      return setup.outlet->failed(Failure{happened, setup.rank, brought.error().message});
    setup.outlet->transfer(order);
  });
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

/// A C task works on the host's memory: what it reads must be there, and what it writes is worth nothing on a device.
std::optional<std::string> RankAgent::State::prepareHost(const RunOrder &order) {
  if (!setup.memory)
    return std::nullopt;
  if (const auto brought = setup.memory->bringToHost(order.reads); !brought)
    return brought.error().message;
  setup.memory->hostChanges(order.writes);
  return std::nullopt;
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

// ---- Devices

void RankAgent::State::runLane(int device, int lane) {
  prepareCrashStack();
  const DeviceResult<DeviceLane> queue = setup.memory->makeLane(device);
  while (lanes->sleep(device), !stopping.load(std::memory_order_relaxed)) {
    RunItem *item = nullptr;
    {
      std::lock_guard lock(mutex);
      if (!cancelled)
        item = lanes->pop(device);
    }
    if (item)
      executeOnDevice(item, device, lane, queue);
  }
}

void RankAgent::State::executeOnDevice(RunItem *item, int device, int lane, const DeviceResult<DeviceLane> &queue) {
  const RunOrder &order = item->order;
  const std::int64_t start = monotonicNs() + setup.clockOffsetNs;
  const DeviceOutcome outcome = queue ? runOnDevice(order, *setup.memory, device, *queue)
                                      : DeviceOutcome{DeviceOutcome::Kind::Lost, queue.error().text.message};
  const std::int64_t end = monotonicNs() + setup.clockOffsetNs;
  if (outcome.kind == DeviceOutcome::Kind::Lost)
    return fallBack(item, device, outcome.what);
  if (outcome.kind == DeviceOutcome::Kind::Failed)
    return fail(item, outcome.what, 0);
  setup.counters->add(Counter::Tasks);
  setup.counters->add(Counter::DeviceTasks);
  const int slot = setup.slots + 1 + device * setup.lanes + lane; // behind the slots and the launcher's own
  if (setup.trace)
    setup.trace->add({order.pack->key, order.task.value, order.pack->launch, order.shape.index, order.shape.count, start, end,
                      order.bytesMoved, slot, order.cores, device});
  finish(item, Completion{order.task, slot, start, end}, true);
}

/// The device is gone. The task has changed nothing on the host, so its C version runs here, if all that it reads is still to be
/// had.
void RankAgent::State::fallBack(RunItem *item, int device, const std::string &why) {
  Outward out;
  bool first = false;
  {
    std::lock_guard lock(mutex);
    toldOfLoss.resize(static_cast<std::size_t>(setup.memory->devices()), false);
    first = !toldOfLoss[static_cast<std::size_t>(device)];
    toldOfLoss[static_cast<std::size_t>(device)] = true;
    item->order.memory = hostMemory;
    makeReady(item, out);
    wakeFor(out, 0);
  }
  if (first)
    log().warn("rank {}: {}: its tasks run on the processor from now on", setup.rank.value, why);
  act(out);
}

/// Something that is no task has been done, on a thread that may call the head.
void RankAgent::State::complete(EventId event) {
  Outward out;
  std::unique_lock lock(mutex);
  markHappened(event, out);
  const std::int64_t now = monotonicNs() + setup.clockOffsetNs;
  completions.push_back(Completion{event, 0, now, now});
  wakeFor(out, 0);
  lock.unlock();
  act(out);
  lock.lock();
  report(lock);
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
// ------------------------------------------------------------------------------------------------------------------

RankAgent::RankAgent(const AgentSetup &setup) : state_(std::make_unique<State>(setup)) {
  State *const state = state_.get();
  state->threads.reserve(static_cast<std::size_t>(setup.slots));
  for (int slot = 0; slot < setup.slots; ++slot)
    state->threads.emplace_back("streamap-" + std::to_string(slot), [state, slot] { state->runSlot(slot); });
  for (int device = 0; setup.memory && device < setup.memory->devices(); ++device)
    for (int lane = 0; lane < setup.lanes; ++lane)
      state->threads.emplace_back("streamap-gpu" + std::to_string(device), [=] { state->runLane(device, lane); });
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
    for (int lane = 0; lane < state_->setup.lanes; ++lane)
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

void RankAgent::settle(SettleOrder order) {
  State *const state = state_.get();
  assert(state->setup.memory && "a rank without devices has nothing to settle");
  state->courier->add([state, order = std::move(order)] {
    if (const auto brought = state->setup.memory->bringToHost(order.runs); !brought)
      return state->setup.outlet->failed(Failure{happened, state->setup.rank, brought.error().message});
    state->setup.memory->hostChanges(order.runs);
    state->complete(order.done);
  });
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
