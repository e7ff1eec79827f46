// StreamMAP runtime: the policy `round-robin`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policy.h"

namespace streamap {
namespace {

/// Each task to the rank behind the last one, passing over those without room. Simple to foresee: for comparisons and for bugs.
class RoundRobin final : public PlacementPolicy {
public:
  Choice choose(const RankTable &ranks, int cores, std::span<const Affinity>, const PlaceFilter *only) override {
    for (int tried = 0; tried < ranks.size(); ++tried) {
      Rank rank{(next + tried) % ranks.size()};
      if (!allows(only, rank) || !ranks.hasRoom(rank, cores))
        continue;
      next = (rank.value + 1) % ranks.size();
      return {rank, ChoiceReason::NextInTurn};
    }
    return {nowhere, ChoiceReason::NextInTurn};
  }

private:
  int next = 0;
};

} // namespace

std::unique_ptr<PlacementPolicy> makeRoundRobin() {
  return std::make_unique<RoundRobin>();
}

} // namespace streamap
