// StreamMAP tests: placements as tables.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/assigner.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace streamap {
namespace {

/// Answers from a table.
class Table final : public AffinitySource {
public:
  void affinities(EventId task, std::vector<Affinity> &ties) override { ties = of[task.value]; }
  std::map<std::uint64_t, std::vector<Affinity>> of;
};

class AssignerTest : public testing::Test {
protected:
  Assigner make(std::vector<int> slots, int lookahead, const char *policy) {
    return Assigner(slots, lookahead, makePlacementPolicy(policy));
  }
  /// Places all that can be placed: "task@rank ...".
  std::string placeAll(Assigner &assigner) {
    std::string all;
    while (auto placement = assigner.next(table)) {
      all += (all.empty() ? "" : " ") + std::to_string(placement->task.value) + "@" + std::to_string(placement->rank.value);
      last = *placement;
    }
    return all;
  }
  Table table;
  ChosenPlacement last;
};

Candidate task(std::uint64_t id, int priority = 0, int cores = 1) {
  return {EventId{id}, priority, cores};
}

TEST_F(AssignerTest, IndependentTasksSpreadAndFillEveryRankToItsLookahead) {
  Assigner assigner = make({1, 2, 1}, 2, "least-loaded");
  for (std::uint64_t id = 1; id <= 10; ++id)
    assigner.add(task(id));
  EXPECT_EQ(placeAll(assigner), "1@0 2@1 3@2 4@1 5@0 6@1 7@2 8@1");
  EXPECT_EQ(assigner.candidates(), 2u);
  assigner.finished(Rank{2}, 1, true);
  EXPECT_EQ(placeAll(assigner), "9@2");
}

TEST_F(AssignerTest, HigherPriorityFirstThenOlder) {
  Assigner assigner = make({1}, 10, "least-loaded");
  assigner.add(task(1, 0));
  assigner.add(task(2, 5));
  assigner.add(task(3, -1));
  assigner.add(task(4, 5));
  EXPECT_EQ(placeAll(assigner), "2@0 4@0 1@0 3@0");
  EXPECT_EQ(last.reason, ChoiceReason::OnlyRank);
}

TEST_F(AssignerTest, DataDecidesBetweenRanksWithEqualLoad) {
  Assigner assigner = make({1, 1, 1}, 4, "least-loaded");
  table.of[1] = {{Rank{0}, 100}, {Rank{2}, 200}};
  assigner.add(task(1));
  EXPECT_EQ(placeAll(assigner), "1@2");
  EXPECT_EQ(last.reason, ChoiceReason::MostBytes);
  // Load comes first.
  table.of[2] = {{Rank{2}, 1000000}};
  assigner.add(task(2));
  EXPECT_EQ(placeAll(assigner), "2@0");
}

TEST_F(AssignerTest, AChainStaysWhereItIs) {
  Assigner assigner = make({1, 1}, 2, "least-loaded"); // and if it is longer than the lookahead
  assigner.add(task(1));
  EXPECT_EQ(placeAll(assigner), "1@0");
  for (std::uint64_t id = 2; id <= 5; ++id) {
    table.of[id] = {{Rank{0}, 8, 1}};
    assigner.add(task(id));
    EXPECT_EQ(placeAll(assigner), std::to_string(id) + "@0");
    assigner.continued(Rank{0});
  }
  EXPECT_EQ(assigner.table()[Rank{0}].strands, 1);
  EXPECT_EQ(assigner.table()[Rank{0}].coresGiven, 5);
  assigner.add(task(9)); // has nothing to do with the chain
  EXPECT_EQ(placeAll(assigner), "9@1");
}

TEST_F(AssignerTest, LoadIsPerSlot) {
  Assigner assigner = make({4, 1}, 4, "least-loaded");
  for (std::uint64_t id = 1; id <= 6; ++id)
    assigner.add(task(id));
  EXPECT_EQ(placeAll(assigner), "1@0 2@1 3@0 4@0 5@0 6@0");
}

TEST_F(AssignerTest, WideTasksGoOnlyWhereTheyFitAndHoldTheOthersBack) {
  Assigner assigner = make({1, 4, 2}, 1, "least-loaded");
  assigner.add(task(1, 0, 3));
  assigner.add(task(2, 0, 3));
  assigner.add(task(3, 0, 3));
  assigner.add(task(4));
  EXPECT_EQ(assigner.widestRank(), 4);
  EXPECT_EQ(placeAll(assigner), "1@1 2@1");
  EXPECT_EQ(assigner.candidates(), 2u);
  assigner.finished(Rank{1}, 3, true);
  EXPECT_EQ(placeAll(assigner), "3@1 4@0");
}

TEST_F(AssignerTest, RanksWithoutSlotsGetNothing) {
  for (const char *policy : {"least-loaded", "round-robin"}) {
    Assigner assigner = make({0, 1, 1}, 1, policy);
    for (std::uint64_t id = 1; id <= 3; ++id) {
      table.of[id] = {{Rank{0}, 1000}};
      assigner.add(task(id));
    }
    EXPECT_EQ(placeAll(assigner), "1@1 2@2") << policy;
  }
}

TEST_F(AssignerTest, RoundRobinGoesRoundAndPassesOverFullRanks) {
  Assigner assigner = make({1, 1, 1}, 2, "round-robin");
  for (std::uint64_t id = 1; id <= 4; ++id)
    assigner.add(task(id));
  EXPECT_EQ(placeAll(assigner), "1@0 2@1 3@2 4@0");
  assigner.add(task(5));
  assigner.add(task(6));
  assigner.add(task(7));
  EXPECT_EQ(placeAll(assigner), "5@1 6@2");
  assigner.finished(Rank{1}, 1, true);
  EXPECT_EQ(placeAll(assigner), "7@1");
  EXPECT_EQ(last.reason, ChoiceReason::NextInTurn);
}

TEST_F(AssignerTest, AFilterKeepsTasksAwayFromDevicesThatCannotRunThem) {
  const PlaceFilter largeOnly{false, true, true}, none{false, false, false};
  for (const char *policy : {"least-loaded", "round-robin"}) {
    Assigner assigner = make({2, 2, 2}, 1, policy);
    table.of[1] = {{Rank{0}, 1000, 0}}; // its data is where it cannot run
    for (std::uint64_t id = 1; id <= 5; ++id) {
      Candidate large = task(id);
      large.only = &largeOnly;
      assigner.add(large);
    }
    EXPECT_EQ(placeAll(assigner), "1@1 2@2 3@1 4@2") << policy; // the fifth waits although device 0 is idle
    assigner.finished(Rank{2}, 1, true);
    EXPECT_EQ(placeAll(assigner), "5@2") << policy;
    Candidate nowhereToGo = task(6);
    nowhereToGo.only = &none;
    assigner.add(nowhereToGo);
    EXPECT_EQ(placeAll(assigner), "") << policy;
    table.of.clear();
  }
}

TEST(Policies, AreFoundByName) {
  for (std::string_view name : placementPolicyNames())
    EXPECT_NE(makePlacementPolicy(name), nullptr) << name;
  EXPECT_EQ(makePlacementPolicy("least_loaded"), nullptr);
  EXPECT_EQ(placementPolicyNames()[0], "least-loaded");
}

} // namespace
} // namespace streamap
