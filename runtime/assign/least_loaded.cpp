// StreamMAP runtime: the policy `least-loaded`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policy.h"

namespace streamap {
namespace {

/// The fewest competing tasks a slot; then most bytes already there; then the lowest rank. Only ranks that the task has something
/// to do with and the least loaded of the others can win, so a choice costs O(ties + log ranks).
class LeastLoaded final : public PlacementPolicy {
public:
  Choice choose(const RankTable &ranks, int cores, std::span<const Affinity> ties, const PlaceFilter *only) override {
    best = {};
    candidates = 0;
    std::size_t tie = 0;
    for (const Affinity &affinity : ties) {
      const RankLoad &load = ranks[affinity.rank];
      if (!allows(only, affinity.rank))
        continue;
      if (ranks.hasRoom(affinity.rank, cores) || (affinity.continues > 0 && ranks.hasRoomBehind(affinity.rank, cores)))
        consider({affinity.rank, std::int64_t{load.strands} - affinity.continues, load.slots, affinity.bytes});
    }
    // Without ties of its own a rank competes by load and number alone, in which this set is sorted.
    for (const RankTable::Key &key : ranks.byLoad()) {
      if (key.slots < cores || !allows(only, key.rank))
        continue;
      for (tie = 0; tie < ties.size() && ties[tie].rank != key.rank; ++tie) {
      }
      if (tie < ties.size())
        continue;
      consider({key.rank, key.strands, key.slots, 0});
      break;
    }
    return {best.rank, candidates == 1 ? ChoiceReason::OnlyRank : reason};
  }

private:
  struct Candidate {
    Rank rank = nowhere;
    std::int64_t strands = 0, slots = 1;
    std::uint64_t bytes = 0;
  };

  void consider(const Candidate &next) {
    ++candidates;
    if (best.rank == nowhere) {
      best = next;
      reason = ChoiceReason::FewestTasks;
      return;
    }
    std::int64_t load = next.strands * best.slots, other = best.strands * next.slots;
    if (load != other)
      return decide(load < other, next, ChoiceReason::FewestTasks);
    if (next.bytes != best.bytes)
      return decide(next.bytes > best.bytes, next, ChoiceReason::MostBytes);
    decide(next.rank < best.rank, next, ChoiceReason::LowestRank);
  }

  /// The closest contest that the winner has won is the reason.
  void decide(bool nextWins, const Candidate &next, ChoiceReason why) {
    if (nextWins) {
      best = next;
      reason = why;
    } else if (why > reason) {
      reason = why;
    }
  }

  Candidate best;
  ChoiceReason reason = ChoiceReason::FewestTasks;
  int candidates = 0;
};

} // namespace

std::unique_ptr<PlacementPolicy> makeLeastLoaded() {
  return std::make_unique<LeastLoaded>();
}

} // namespace streamap
