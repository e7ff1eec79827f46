// StreamMAP runtime: which task goes where next.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/assigner.h"

#include <cassert>
#include <utility>

namespace streamap {

Assigner::Assigner(std::span<const int> slots, int lookahead, std::unique_ptr<PlacementPolicy> chosen)
    : ranks(slots, lookahead), policy(std::move(chosen)) {
  assert(policy && ranks.widest() > 0);
}

std::optional<ChosenPlacement> Assigner::next(AffinitySource &source) {
  if (waiting.empty() || !ranks.anyRoom())
    return std::nullopt;
  const Candidate first = waiting.top();
  ties.clear();
  source.affinities(first.task, ties);
  Choice choice = policy->choose(ranks, first.cores, ties, first.only);
  if (choice.rank == nowhere)
    return std::nullopt;
  waiting.pop();
  ranks.change(choice.rank, first.cores, 1);
  return ChosenPlacement{first.task, choice.rank, choice.reason};
}

} // namespace streamap
