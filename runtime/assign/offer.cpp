// StreamMAP runtime: how a policy chooses among the processors that it is offered.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/offer.h"

#include <algorithm>
#include <array>

#include "assign/policies/all.h"

namespace streamap {

std::span<const Policy *const> policies() {
  static const std::array<const Policy *, 6> all{&earliestFinish(), &leastLoaded(), &locality(),
                                                 &binPack(),        &spread(),      &roundRobin()};
  return all;
}

const Policy *findPolicy(std::string_view name) {
  const auto all = policies();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Policy *policy) { return policy->name() == name; });
  return found == all.end() ? nullptr : *found;
}

std::string describePolicies() {
  std::size_t width = 0;
  for (const Policy *policy : policies())
    width = std::max(width, policy->name().size());
  std::string text;
  for (const Policy *policy : policies()) {
    text += std::string(policy->name()) + std::string(width + 2 - policy->name().size(), ' ');
    text += std::string(policy->meaning()) + (policy == policies()[0] ? " (default)\n" : "\n");
  }
  return text;
}

std::string_view describe(PlacementReason reason) {
  switch (reason) {
  case PlacementReason::OnlyOne:
    return "the only one that can take it";
  case PlacementReason::Untried:
    return "to find out how long it takes there";
  case PlacementReason::EarliestFinish:
    return "done there first";
  case PlacementReason::FasterAreFull:
    return "faster ones have too much to do before";
  case PlacementReason::StartsAtOnce:
    return "memory and share are free there";
  case PlacementReason::FewestTasks:
    return "fewest tasks for what runs at a time";
  case PlacementReason::QuietestNode:
    return "fewest tasks on its node";
  case PlacementReason::NearestData:
    return "the task's data is nearest";
  case PlacementReason::MostUsed:
    return "most used of those where it can start";
  case PlacementReason::NextInTurn:
    return "next in turn";
  case PlacementReason::LowestNumber:
    return "alike in all that counts, the first of them";
  }
  return "";
}

} // namespace streamap
