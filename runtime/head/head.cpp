// StreamMAP runtime: the head, which turns the calls of main into orders for the ranks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "head/head.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "assign/estimate_file.h"
#include "head/state.h"
#include "head/storage.h"

namespace streamap {
namespace {

// First guesses, for what cost(e) counts, until tasks have been measured.
constexpr double coreSpeed = 1e9, multiprocessorSpeed = 1e10;
/// Between a device and its host, where nothing was measured.
constexpr Link deviceLink{10e9, 1e-5};

ResourceTable processorsOf(const HeadSetup &setup) {
  std::vector<ProcessorFacts> all;
  for (std::size_t number = 0; number < setup.ranks.size(); ++number) {
    const RankSetup &rank = setup.ranks[number];
    ProcessorFacts cores;
    cores.place = {Rank{static_cast<int>(number)}, hostMemory};
    cores.node = rank.node;
    cores.lanes = rank.slots;
    cores.speed = coreSpeed;
    all.push_back(std::move(cores));
    for (std::size_t k = 0; k < rank.devices.size(); ++k) {
      ProcessorFacts device;
      device.place = {Rank{static_cast<int>(number)}, MemoryIndex{static_cast<std::uint16_t>(k + 1)}};
      device.node = rank.node;
      device.lanes = std::max(1, setup.deviceLanes);
      device.memory = rank.devices[k].budget;
      device.device = rank.devices[k].properties;
      device.speed = multiprocessorSpeed * std::max(1, device.device->multiprocessors);
      device.link = deviceLink;
      device.labels = rank.labels;
      all.push_back(std::move(device));
    }
  }
  return ResourceTable(std::move(all), setup.links);
}

bool hasDevices(const HeadSetup &setup) {
  return std::any_of(setup.ranks.begin(), setup.ranks.end(), [](const RankSetup &rank) { return !rank.devices.empty(); });
}

} // namespace

HeadState::HeadState(HeadSetup given)
    : setup(std::move(given)), processors(processorsOf(setup)), alone(setup.ranks.size() == 1 && !hasDevices(setup)),
      mainStack(callersStack()), estimates(processors), outstandingSends(setup.ranks.size(), 0) {
  assert(setup.maxTasks > 0);
  clusterSize.slots = clusterSize.devices = 0;
  for (const RankSetup &rank : setup.ranks) {
    clusterSize.slots += rank.slots;
    clusterSize.devices += static_cast<std::int64_t>(rank.devices.size());
    widestRank = std::max(widestRank, rank.slots);
  }
  assert(widestRank > 0);
  if (alone)
    return;
  Placer::Setup placing;
  placing.policy = findPolicy(setup.policy);
  assert(placing.policy && "the setting was checked when it was read");
  placing.lookahead = std::max(1, setup.lookahead);
  placing.reservation = setup.reservation;
  if (!setup.explain.empty()) {
    explanations =
        std::make_unique<PlacementFile>(setup.explain, processors, [this](std::uint64_t id) { return nameOf(EventId{id}); });
    placing.witness = explanations.get();
    if (!explanations->isOpen() && setup.notice)
      setup.notice("cannot write " + setup.explain);
  }
  if (!setup.history.empty())
    if (const auto read = readEstimates(setup.history, processors, estimates); !read && setup.notice)
      setup.notice(read.error().message);
  placer = std::make_unique<Placer>(processors, estimates, placing);
  clusterSize.weigh = [this](const streamap_task &task, std::span<const PlannedTask> tasks, std::int32_t cores) {
    return weigh(task, tasks, cores);
  };
}

Outcome HeadState::fail(std::unique_lock<AdaptiveMutex> &lock, const std::string &text) {
  bool first = !std::exchange(failed, true);
  waiters.release();
  lock.unlock();
  if (first && setup.stop)
    setup.stop(text);
  return Outcome::Failed;
}

Head::Head(HeadSetup setup) : state(std::make_unique<HeadState>(std::move(setup))) {}

Head::~Head() = default;

std::string HeadState::nameOf(EventId id) {
  const Task &task = *log[id].task;
  const streamap_task &descriptor = *task.pack->task;
  return std::string(descriptor.name) + " " + std::to_string(task.shape.index) + " of " + std::to_string(task.shape.count) +
         " (" + (descriptor.file ? descriptor.file : "?") + ":" + std::to_string(descriptor.line) + ")";
}

Result<void> Head::keepEstimates() const {
  std::lock_guard lock(state->mutex);
  if (state->setup.history.empty() || state->alone)
    return {};
  return writeEstimates(state->setup.history, state->processors, state->estimates);
}

std::size_t Head::unfinished() const {
  return state->unfinished.load(std::memory_order_relaxed);
}

std::size_t Head::waiting() const {
  std::unique_lock lock(state->mutex);
  return state->waiters.unreleased();
}

} // namespace streamap
