// StreamMAP runtime: how a rank is chosen for a task.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policy.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace streamap {
namespace {

struct NamedPolicy {
  std::string_view name;
  std::unique_ptr<PlacementPolicy> (*make)();
};

constexpr std::array policies{NamedPolicy{"least-loaded", makeLeastLoaded}, NamedPolicy{"round-robin", makeRoundRobin}};

constexpr auto policyNames = [] {
  std::array<std::string_view, policies.size()> names;
  std::transform(policies.begin(), policies.end(), names.begin(), [](const NamedPolicy &policy) { return policy.name; });
  return names;
}();

} // namespace

std::unique_ptr<PlacementPolicy> makePlacementPolicy(std::string_view name) {
  for (const NamedPolicy &policy : policies)
    if (policy.name == name)
      return policy.make();
  return nullptr;
}

std::span<const std::string_view> placementPolicyNames() {
  return policyNames;
}

std::string_view describe(ChoiceReason reason) {
  switch (reason) {
  case ChoiceReason::OnlyRank:
    return "the only rank with room for it";
  case ChoiceReason::FewestTasks:
    return "fewest competing tasks for its slots";
  case ChoiceReason::MostBytes:
    return "as few tasks as any, and most of the data";
  case ChoiceReason::LowestRank:
    return "alike in load and data, lowest rank";
  case ChoiceReason::NextInTurn:
    return "next in turn";
  }
  return "";
}

RankTable::RankTable(std::span<const int> slots, int lookahead) : lookaheadPerSlot(lookahead) {
  for (int count : slots) {
    Rank rank{static_cast<int>(loads.size())};
    loads.push_back({count, 0, 0});
    mostSlots = std::max(mostSlots, count);
    if (roomFor(loads.back(), 1))
      open.insert({0, count, rank});
  }
}

void RankTable::change(Rank rank, int cores, int strands) {
  RankLoad &load = loads[static_cast<std::size_t>(rank.value)];
  if (roomFor(load, 1))
    open.erase({load.strands, load.slots, rank});
  load.coresGiven += cores;
  load.strands += strands;
  assert(load.coresGiven >= 0 && load.strands >= 0);
  if (roomFor(load, 1))
    open.insert({load.strands, load.slots, rank});
}

} // namespace streamap
