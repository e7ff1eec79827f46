// StreamMAP runtime: the agent of a rank with devices: tasks on them, and bytes that only they have.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <mutex>
#include <string>
#include <utility>

#include "exec/crash.h"
#include "exec/rank_agent_state.h"
#include "exec/run_on_device.h"
#include "observe/counters.h"
#include "observe/log.h"
#include "observe/task_trace.h"

namespace streamap {
namespace {

/// Of one device: the most that the setting `device_tasks` can ask for.
constexpr int mostLanes = 64;

} // namespace

// ---- Tasks

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

/// Sees to it that a device has so many lanes: tasks with small shares run side by side, more than whole ones do.
void RankAgent::State::startLanes(int device, int wanted) {
  std::lock_guard lock(mutex);
  int &count = laneCounts[static_cast<std::size_t>(device)];
  for (; count < std::min(wanted, mostLanes) && !stopping.load(std::memory_order_relaxed); ++count)
    threads.emplace_back("streamap-gpu" + std::to_string(device), [this, device, lane = count] { runLane(device, lane); });
}

void RankAgent::State::executeOnDevice(RunItem *item, int device, int lane, const DeviceResult<DeviceLane> &queue) {
  const RunOrder &order = item->order;
  const DeviceOutcome outcome = queue ? runOnDevice(order, *setup.memory, device, *queue, gates[static_cast<std::size_t>(device)])
                                      : DeviceOutcome{DeviceOutcome::Kind::Lost, queue.error().text.message};
  if (outcome.kind == DeviceOutcome::Kind::Lost)
    return fallBack(item, device, outcome.what);
  if (outcome.kind == DeviceOutcome::Kind::Failed)
    return fail(item, outcome.what, 0);
  const std::int64_t start = outcome.startNs + setup.clockOffsetNs, end = outcome.endNs + setup.clockOffsetNs;
  setup.counters->add(Counter::Tasks);
  setup.counters->add(Counter::DeviceTasks);
  const int slot = setup.slots + 1 + device * mostLanes + lane; // behind the slots and the launcher's own
  if (setup.trace)
    setup.trace->add({order.pack->key, order.task.value, order.pack->launch, order.shape.index, order.shape.count, start, end,
                      order.bytesMoved, slot, order.cores, device});
  const MemoryIndex memory = order.memory;
  finish(item, Completion{order.task, slot, start, end, memory}, true);
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

// ---- Bytes

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

/// A C task works on the host's memory: what it reads must be there, and what it writes is worth nothing on a device.
std::optional<std::string> RankAgent::State::prepareHost(const RunOrder &order) {
  if (!setup.memory)
    return std::nullopt;
  if (const auto brought = setup.memory->bringToHost(order.reads); !brought)
    return brought.error().message;
  setup.memory->hostChanges(order.writes);
  return std::nullopt;
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

} // namespace streamap
