// StreamMAP runtime: the head, which turns the calls of main into orders for the ranks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "head/head.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "head/state.h"
#include "head/storage.h"

namespace streamap {
namespace {

std::vector<int> slotsOf(const std::vector<RankSetup> &ranks) {
  std::vector<int> slots;
  for (const RankSetup &rank : ranks)
    slots.push_back(rank.slots);
  return slots;
}

std::vector<HeadState::DevicePlace> devicesOf(const std::vector<RankSetup> &ranks) {
  std::vector<HeadState::DevicePlace> places;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (std::size_t k = 0; k < ranks[rank].devices.size(); ++k)
      places.push_back({Rank{static_cast<int>(rank)}, MemoryIndex{static_cast<std::uint16_t>(k + 1)}, &ranks[rank].devices[k]});
  return places;
}

} // namespace

HeadState::HeadState(HeadSetup given)
    : setup(std::move(given)), devices(devicesOf(setup.ranks)), alone(setup.ranks.size() == 1 && devices.empty()),
      mainStack(callersStack()), assigner(slotsOf(setup.ranks), std::max(1, setup.lookahead), makePlacementPolicy(setup.policy)),
      outstandingSends(setup.ranks.size(), 0) {
  assert(setup.maxTasks > 0);
  clusterSize.slots = 0;
  for (const RankSetup &rank : setup.ranks)
    clusterSize.slots += rank.slots;
  widestRank = assigner.widestRank();
  clusterSize.devices = static_cast<std::int64_t>(devices.size());
  if (!devices.empty())
    deviceAssigner.emplace(std::vector<int>(devices.size(), std::max(1, setup.deviceLanes)), std::max(1, setup.lookahead),
                           makePlacementPolicy(setup.policy));
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

std::size_t Head::unfinished() const {
  return state->unfinished.load(std::memory_order_relaxed);
}

std::size_t Head::waiting() const {
  std::unique_lock lock(state->mutex);
  return state->waiters.unreleased();
}

} // namespace streamap
