// StreamMAP runtime: what a rank's agent keeps, for the files that it is written in.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <semaphore.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/adaptive_mutex.h"
#include "base/work_queue.h"
#include "exec/device_gate.h"
#include "exec/device_lanes.h"
#include "exec/event_table.h"
#include "exec/monotonic.h"
#include "exec/rank_agent.h"
#include "exec/rank_memory.h"
#include "exec/ready_queue.h"
#include "exec/slot_thread.h"

namespace streamap {

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

struct RankAgent::State {
  explicit State(const AgentSetup &s) : setup(s), freeCores(s.slots) {
    sem_init(&sleeping, 0, 0);
    if (setup.memory) {
      lanes = std::make_unique<DeviceLanes<RunItem *>>(setup.memory->devices());
      laneCounts.resize(static_cast<std::size_t>(setup.memory->devices()));
      gates = std::vector<DeviceGate>(static_cast<std::size_t>(setup.memory->devices()));
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
  std::vector<int> laneCounts;                   ///< by device
  std::vector<DeviceGate> gates;                 ///< by device; not guarded
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
  void startLanes(int device, int wanted);
  void depart(SendOrder order);
  void complete(EventId event);
  void finish(RunItem *item, const Completion &completion, bool helped);
  void report(std::unique_lock<AdaptiveMutex> &lock);
  void runSlot(int slot);
};

} // namespace streamap
