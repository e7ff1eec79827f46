// StreamMAP runtime: which task goes where next.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A deterministic state machine: tasks that may be placed and tasks that have finished go in, placements with a reason come out.
// It knows no MPI, no clock and no threads, so that the live head, a dry run and a table test get the same answers.
//
// The same machine places C tasks on ranks and G tasks on devices: to it, a device is a rank whose slots are the tasks that it
// works on at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "assign/policy.h"
#include "base/ids.h"

namespace streamap {

/// A task that may be placed: all its predecessors are.
struct Candidate {
  EventId task;
  std::int32_t priority = 0; ///< higher goes first; then the older one
  std::int32_t cores = 1;
  const PlaceFilter *only = nullptr; ///< null, or where it may go; stays until it is placed
};

/// The outcome for one task.
struct ChosenPlacement {
  EventId task;
  Rank rank;
  ChoiceReason reason = ChoiceReason::OnlyRank;
};

/// What the head knows about a candidate. Asked only when there is room for it.
class AffinitySource {
public:
  virtual ~AffinitySource() = default;
  /// Fills \p ties with the ranks that \p task has something to do with, each once, ascending.
  virtual void affinities(EventId task, std::vector<Affinity> &ties) = 0;
};

/// Not thread-safe. Every operation is O(log n) in the candidates and ranks, plus the candidate's own ties.
class Assigner {
public:
  /// \p slots of each rank; a rank has room while it has fewer than \p lookahead unfinished cores of work a slot.
  Assigner(std::span<const int> slots, int lookahead, std::unique_ptr<PlacementPolicy> policy);

  /// The most cores that any rank has: a task that wants more can never run.
  int widestRank() const { return ranks.widest(); }

  void add(const Candidate &candidate) { waiting.push(candidate); }
  std::size_t candidates() const { return waiting.size(); }

  /// Places the first candidate, if some rank has room for it. A candidate that finds no room holds the others back: it would
  /// starve otherwise.
  std::optional<ChosenPlacement> next(AffinitySource &source);

  /// The strand of a task has been taken up by another task on the same rank.
  void continued(Rank rank) { ranks.change(rank, 0, -1); }

  /// A task has finished. \p strand: nobody has continued it.
  void finished(Rank rank, int cores, bool strand) { ranks.change(rank, -cores, strand ? -1 : 0); }

  const RankTable &table() const { return ranks; }

private:
  struct Later {
    bool operator()(const Candidate &a, const Candidate &b) const {
      return a.priority != b.priority ? a.priority < b.priority : b.task < a.task;
    }
  };

  RankTable ranks;
  std::unique_ptr<PlacementPolicy> policy;
  std::priority_queue<Candidate, std::vector<Candidate>, Later> waiting;
  std::vector<Affinity> ties; ///< kept for its room
};

} // namespace streamap
