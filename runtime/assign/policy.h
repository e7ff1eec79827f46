// StreamMAP runtime: how a rank is chosen for a task.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace streamap {

/// What ties a task to one rank.
struct Affinity {
  Rank rank;
  std::uint64_t bytes = 0;    ///< of what it reads, already there
  std::int32_t continues = 0; ///< strands there that it would go on with (RankLoad::strands)
};

/// One rank as a policy sees it.
struct RankLoad {
  std::int32_t slots = 0;
  std::int32_t coresGiven = 0; ///< cores of the unfinished tasks that it was given
  /// Unfinished tasks there that no other task placed there continues (depends on). Tasks in one chain never run at the same
  /// time, so it is strands, not tasks, that compete for slots.
  std::int32_t strands = 0;
};

/// Why a task went where it went.
enum class ChoiceReason : std::uint8_t {
  OnlyRank,    ///< nobody else has room for it
  FewestTasks, ///< no other rank has so few competing tasks for its slots
  MostBytes,   ///< of those with the fewest tasks it holds the most of the task's data
  LowestRank,  ///< alike in all that counts
  NextInTurn   ///< round-robin
};

/// In words, for the trace and reports.
std::string_view describe(ChoiceReason reason);

/// A policy's choice.
struct Choice {
  Rank rank;
  ChoiceReason reason = ChoiceReason::OnlyRank;
};

/// The ranks, with the indexes that policies need. Kept by the Assigner.
class RankTable {
public:
  RankTable(std::span<const int> slots, int lookahead);

  const RankLoad &operator[](Rank rank) const { return loads[static_cast<std::size_t>(rank.value)]; }
  int size() const { return static_cast<int>(loads.size()); }
  /// Whether the rank takes one more task that needs \p cores cores. Room is counted in cores: lookahead for each slot.
  bool hasRoom(Rank rank, int cores) const { return roomFor(loads[static_cast<std::size_t>(rank.value)], cores); }
  /// Whether a task that continues a strand there may go to the rank although it has no room: if the rank's strands have a slot
  /// each, the task runs as soon as it can anywhere, and its data need not travel.
  bool hasRoomBehind(Rank rank, int cores) const {
    const RankLoad &load = loads[static_cast<std::size_t>(rank.value)];
    return cores <= load.slots && load.strands <= load.slots;
  }
  /// Whether any rank has room for a task with one core. O(1).
  bool anyRoom() const { return !open.empty(); }
  /// The cores of the widest rank: what a task can ask for at most.
  int widest() const { return mostSlots; }

  /// Ranks with room, those with the fewest strands a slot first, then by number.
  struct Key {
    std::int32_t strands, slots;
    Rank rank;
    bool operator<(const Key &other) const {
      std::int64_t mine = std::int64_t{strands} * other.slots, theirs = std::int64_t{other.strands} * slots;
      return mine != theirs ? mine < theirs : rank < other.rank;
    }
  };
  const std::set<Key> &byLoad() const { return open; }

  /// Changes a rank's figures by the given amounts. O(log ranks).
  void change(Rank rank, int cores, int strands);

private:
  bool roomFor(const RankLoad &load, int cores) const {
    return cores <= load.slots && std::int64_t{load.coresGiven} < std::int64_t{lookaheadPerSlot} * load.slots;
  }

  int lookaheadPerSlot;
  int mostSlots = 0;
  std::vector<RankLoad> loads;
  std::set<Key> open;
};

/// Which ranks a task may go to at all, by number.
using PlaceFilter = std::vector<bool>;

/// Chooses ranks. A pure function of its own state and what it is given: no clock, no threads, no randomness.
class PlacementPolicy {
public:
  virtual ~PlacementPolicy() = default;
  /// A rank with room for \p cores cores, or rank -1 if there is none. \p ties lists ranks that the task has something to do
  /// with, each once, in ascending order. \p only: null, or where it may go.
  virtual Choice choose(const RankTable &ranks, int cores, std::span<const Affinity> ties, const PlaceFilter *only = nullptr) = 0;

protected:
  static bool allows(const PlaceFilter *only, Rank rank) { return !only || (*only)[static_cast<std::size_t>(rank.value)]; }
};

inline constexpr Rank nowhere{-1};

std::unique_ptr<PlacementPolicy> makeLeastLoaded();
std::unique_ptr<PlacementPolicy> makeRoundRobin();

/// The policy of that name, or null.
std::unique_ptr<PlacementPolicy> makePlacementPolicy(std::string_view name);
/// All names, for configuration and messages.
std::span<const std::string_view> placementPolicyNames();

} // namespace streamap
