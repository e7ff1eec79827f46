// StreamMAP runtime: how the index range of a launch is cut, by the speed of where its chunks go.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "assign/placer_state.h"

namespace streamap {
namespace {

/// Processors of one shelf that are alike in speed, and how many of the launch's tasks go there.
struct Group {
  std::size_t shelf;
  double speed;   ///< chunks a second, of one task
  double atATime; ///< tasks that run at full speed
  int taken = 0;  ///< tasks
  /// Of each task, with so many.
  double share(int tasks) const { return speed * std::min(1.0, atATime / tasks); }
  bool isBetterThan(const Group &other) const {
    const bool idle = taken < atATime, othersIdle = other.taken < other.atATime;
    return idle != othersIdle ? idle : share(taken + 1) > other.share(other.taken + 1);
  }
};

} // namespace

/// Each task in turn goes to the fastest that has nothing to do yet; when all have, to where it gets the largest part of the
/// speed. So all chunks would take the same time.
std::vector<double> Placer::weights(std::span<const DemandId> demands, ProfileId even, std::vector<ClassId> *cutFor) const {
  const State &s = *state;
  std::vector<Group> groups;
  for (std::size_t k = 0; k < s.shelves.size(); ++k) {
    const Shelf &shelf = s.shelves[k];
    const Estimates::Guess guess = s.estimates.guess(even, shelf.group, 0);
    const auto healthy = std::count_if(shelf.members.begin(), shelf.members.end(),
                                       [&](ProcessorId id) { return s.loads[static_cast<std::size_t>(id.value)].healthy; });
    const ProcessorFacts &facts = s.table[shelf.members[0]];
    const int lanes = facts.kind() == ProcessorKind::Device ? 1 : facts.lanes; // a device's tasks share its speed
    const bool usable = guess.known && guess.time > 0;
    groups.push_back({k, usable ? 1 / guess.time : 0, static_cast<double>(healthy * lanes)});
  }
  std::vector<Group *> chosen;
  for (const DemandId demand : demands) {
    Group *best = nullptr;
    for (const std::size_t k : s.queues[static_cast<std::size_t>(demand.value)].shelves) {
      Group &group = groups[k];
      if (group.atATime == 0 || s.shelves[k].reserved)
        continue;
      if (group.speed == 0)
        return {}; // it may be the fastest
      if (!best || group.isBetterThan(*best))
        best = &group;
    }
    if (!best)
      return {};
    ++best->taken;
    chosen.push_back(best);
  }
  std::vector<double> weights;
  for (const Group *group : chosen)
    weights.push_back(group->share(group->taken));
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  constexpr double alike = 1.1;
  if (weights.empty() || *most < *least * alike)
    return {};
  if (cutFor)
    for (const Group *group : chosen)
      cutFor->push_back(s.shelves[group->shelf].group);
  return weights;
}

} // namespace streamap
