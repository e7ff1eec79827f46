// StreamMAP tests: the state machine of placement, over time.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/placer.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "assign/admission.h"
#include "test_processors.h"

namespace streamap {
namespace {

/// A placer with tasks that have nothing to do with each other, unless told.
class PlacerTest : public testing::Test, public TaskView {
protected:
  void open(const std::string &cluster, const char *policy, int lookahead = 4, Reservation reservation = {}) {
    table = std::make_unique<ResourceTable>(processorsFrom(cluster));
    estimates = std::make_unique<Estimates>(*table);
    placer = std::make_unique<Placer>(*table, *estimates, Placer::Setup{findPolicy(policy), lookahead, 1, reservation, nullptr});
    tickets.clear();
    ties.clear();
  }
  DemandId demand(bool cores, bool devices, int units = 1) {
    Demand asked;
    asked.onCores = cores;
    asked.onDevice = devices;
    asked.cores = units;
    asked.share = devices && units > 1 ? units : 100;
    return placer->intern(judge(*table, asked));
  }
  void ready(std::uint64_t id, DemandId demand, int priority = 0, Seconds now = 0, ProfileId profile = noProfile) {
    tickets[id] = placer->ready({id, demand, profile, 0, priority, {}}, now);
  }
  /// Places all that can be placed: "task@processor ...".
  std::string placeAll(Seconds now = 0) {
    std::string all;
    while (auto placement = placer->next(*this, now)) {
      all += (all.empty() ? "" : " ") + std::to_string(placement->id) + "@" + std::to_string(placement->processor.value);
      last = *placement;
    }
    return all;
  }
  void finish(std::uint64_t id, Seconds now = 0, Seconds ran = -1) {
    placer->finished(tickets.at(id), now, ran);
    tickets.erase(id);
  }
  void look(std::uint64_t id, Ties &into) override {
    if (const auto found = ties.find(id); found != ties.end())
      into = found->second;
  }

  std::unique_ptr<ResourceTable> table;
  std::unique_ptr<Estimates> estimates;
  std::unique_ptr<Placer> placer;
  std::map<std::uint64_t, Ticket> tickets;
  std::map<std::uint64_t, Ties> ties;
  Placement last;
};

TEST_F(PlacerTest, IndependentTasksSpreadAndFillEveryRankToItsLookahead) {
  open("C1 C2 C1", "least-loaded", 2);
  const DemandId cores = demand(true, false);
  for (std::uint64_t id = 1; id <= 10; ++id)
    ready(id, cores);
  EXPECT_EQ(placeAll(), "1@0 2@1 3@2 4@1 5@0 6@1 7@2 8@1");
  EXPECT_EQ(placer->waiting(), 2u);
  finish(3);
  EXPECT_EQ(placeAll(), "9@2");
}

TEST_F(PlacerTest, HigherPriorityFirstThenOlder) {
  open("C1", "least-loaded", 10);
  const DemandId cores = demand(true, false);
  ready(1, cores, 0);
  ready(2, cores, 5);
  ready(3, cores, -1);
  ready(4, cores, 5);
  EXPECT_EQ(placeAll(), "2@0 4@0 1@0 3@0");
  EXPECT_EQ(last.reason, PlacementReason::OnlyOne);
}

/// The stated bound: not overtaken by one of q priorities more that became ready more than q + 1 ages later.
TEST_F(PlacerTest, WaitingMakesUrgent) {
  open("C1", "eft", 1);
  const DemandId cores = demand(true, false);
  ready(1, cores, 9);
  EXPECT_EQ(placeAll(), "1@0");
  ready(2, cores, 0, 0.5);
  ready(3, cores, 5, 6.6); // more than six ages later: behind
  ready(4, cores, 5, 4.5); // less than five: before
  finish(1, 7);
  EXPECT_EQ(placeAll(7), "4@0");
  finish(4, 8);
  EXPECT_EQ(placeAll(8), "2@0");
  finish(2, 9);
  EXPECT_EQ(placeAll(9), "3@0");
}

TEST_F(PlacerTest, AStreamOfUrgentTasksStarvesNobody) {
  open("C1", "least-loaded", 1);
  const DemandId cores = demand(true, false);
  ready(1'000'000, cores, 0, 0);
  std::uint64_t urgent = 1;
  ready(urgent, cores, 5, 0);
  Seconds placedAt = -1;
  for (Seconds now = 0; placedAt < 0 && now < 100; now += 0.25) {
    const auto placement = placer->next(*this, now);
    ASSERT_TRUE(placement);
    if (placement->id == 1'000'000)
      placedAt = now;
    ready(++urgent, cores, 5, now);
    finish(placement->id, now + 0.25);
  }
  EXPECT_GT(placedAt, 4);
  EXPECT_LT(placedAt, 7);
}

TEST_F(PlacerTest, AChainStaysWhereItIs) {
  open("C1 C1", "least-loaded", 2);
  const DemandId cores = demand(true, false);
  ready(1, cores);
  EXPECT_EQ(placeAll(), "1@0");
  for (std::uint64_t id = 2; id <= 5; ++id) {
    ties[id] = {8, {{{Rank{0}, hostMemory}, 8}}, {tickets[id - 1]}};
    ready(id, cores);
    EXPECT_EQ(placeAll(), std::to_string(id) + "@0");
  }
  EXPECT_EQ(placer->loadOf(ProcessorId{0}).strands, 1);
  EXPECT_EQ(placer->loadOf(ProcessorId{0}).given, 5);
  ready(9, cores); // has nothing to do with the chain
  EXPECT_EQ(placeAll(), "9@1");
}

TEST_F(PlacerTest, AQueueThatIsBlockedHoldsNoOtherBack) {
  open("C1,G", "eft", 1);
  const DemandId device = demand(false, true), cores = demand(true, false);
  ready(1, device);
  ready(2, device);
  ready(3, cores);
  EXPECT_EQ(placeAll(), "1@1 3@0");
  finish(1);
  EXPECT_EQ(placeAll(), "2@1");
}

TEST_F(PlacerTest, ATaskOfEitherKindTakesWhatIsFaster) {
  open("C4,G", "eft", 1);
  const DemandId either = demand(true, true);
  const ProfileId profile = estimates->profile(estimates->function("f"), 1);
  const ProcessorId cores{0}, device{1};
  for (int k = 0; k < 3; ++k) {
    estimates->add(profile, cores, 1);
    estimates->add(profile, device, 0.4);
  }
  for (std::uint64_t id = 1; id <= 6; ++id)
    ready(id, either, 0, 0, profile);
  // The device would be done with the second one at 0.8, so that one waits for it. With the third one it would be done at 1.2,
  // and at 2.4 with all: those that are least urgent are done before on cores.
  EXPECT_EQ(placeAll(0), "1@1 6@0 5@0 4@0 3@0");
  EXPECT_EQ(last.reason, PlacementReason::FasterAreFull);
  finish(1, 0.4, 0.4);
  EXPECT_EQ(placeAll(0.4), "2@1");
  EXPECT_NEAR(last.finish, 0.8, 1e-6);
}

TEST_F(PlacerTest, TasksBehindALongOneArePlacedWhenItHasFinished) {
  open("C1,C1", "eft");
  const DemandId cores = demand(true, false);
  const ProfileId slow = estimates->profile(estimates->function("slow"), 1),
                  quick = estimates->profile(estimates->function("quick"), 1);
  for (int k = 0; k < 4; ++k) {
    estimates->add(slow, ProcessorId{0}, 0.1);
    estimates->add(quick, ProcessorId{0}, 1e-4);
  }
  ready(1, cores, 0, 0, slow);
  EXPECT_EQ(placeAll(0), "1@0");
  ties[2].after = {tickets.at(1)};
  ready(2, cores, 9, 0, slow); // however urgent: it would only take room from those that can start
  EXPECT_EQ(placeAll(0), "");
  EXPECT_EQ(placer->waiting(), 1U);
  ready(3, cores, 0, 0, quick);
  EXPECT_EQ(placeAll(0), "3@1");
  ties[4].after = {tickets.at(3)};
  ready(4, cores, 0, 0, quick); // the way of its order is as long as what it waits for
  EXPECT_EQ(placeAll(0), "4@1");
  finish(1, 0.1, 0.1);
  ties[2].after.clear();
  EXPECT_EQ(placeAll(0.1), "2@0");
  ready(5, cores, 0, 0.1, slow);
  ties[5].after = {tickets.at(2)};
  EXPECT_EQ(placeAll(0.1), ""); // held
  placer->withdrawn(tickets.at(5), 0.1);
  finish(2, 0.2, 0.1);
  EXPECT_EQ(placeAll(0.2), "");
  EXPECT_EQ(placer->waiting(), 0U);
}

TEST_F(PlacerTest, AChunkGoesToTheClassThatItWasCutFor) {
  open("G,F", "eft");
  const DemandId devices = demand(false, true);
  const ProfileId profile = estimates->profile(estimates->function("f"), 1);
  estimates->restore(profile, table->classOf(ProcessorId{0}), {0.4, 0.4, 0.4});
  estimates->restore(profile, table->classOf(ProcessorId{1}), {0.1, 0.1, 0.1});
  std::vector<ClassId> cutFor;
  const DemandId both[]{devices, devices};
  ASSERT_EQ(placer->weights(both, profile, &cutFor).size(), 2U);
  ASSERT_EQ(cutFor.size(), 2U);
  EXPECT_EQ(cutFor[0], table->classOf(ProcessorId{1}));
  EXPECT_EQ(cutFor[1], table->classOf(ProcessorId{0}));
  tickets[1] = placer->ready({1, devices, profile, 0, 0, {}, cutFor[1]}, 0);
  EXPECT_EQ(placeAll(0), "1@0"); // though the other one would be done first
  std::vector<Ticket> orphans;
  placer->lost(ProcessorId{0}, orphans);
  placer->withdrawn(orphans.at(0), 0);
  tickets[1] = placer->ready({1, devices, profile, 0, 0, {}, cutFor[1]}, 0);
  EXPECT_EQ(placeAll(0), "1@1");
}

TEST_F(PlacerTest, TasksThatWereWithdrawnAreGone) {
  open("C1", "eft", 1);
  const DemandId cores = demand(true, false);
  for (std::uint64_t id = 1; id <= 3; ++id)
    ready(id, cores);
  EXPECT_EQ(placeAll(), "1@0");
  placer->withdrawn(tickets[2], 0);
  EXPECT_EQ(placer->waiting(), 1u);
  placer->withdrawn(tickets[1], 0);
  EXPECT_EQ(placeAll(), "3@0");
  EXPECT_EQ(placer->waiting(), 0u);
}

TEST_F(PlacerTest, WhatALostDeviceHadGoesElsewhere) {
  open("C1,G,G", "least-loaded", 4);
  const DemandId device = demand(false, true);
  for (std::uint64_t id = 1; id <= 4; ++id)
    ready(id, device);
  EXPECT_EQ(placeAll(), "1@1 2@2 3@1 4@2");
  std::vector<Ticket> orphans;
  placer->lost(ProcessorId{1}, orphans);
  ASSERT_EQ(orphans.size(), 2u);
  for (const Ticket orphan : orphans)
    placer->withdrawn(orphan, 1);
  ready(1, device);
  ready(3, device);
  EXPECT_EQ(placeAll(1), "1@2 3@2");
  EXPECT_EQ(placer->loadOf(ProcessorId{1}).given, 0);
  EXPECT_TRUE(placer->canServe(device));
  placer->lost(ProcessorId{2}, orphans);
  EXPECT_FALSE(placer->canServe(device));
  EXPECT_TRUE(placer->canServe(demand(true, false)));
}

/// The first runs on a processor take 100 ms longer; what comes after must not be placed by that.
TEST_F(PlacerTest, FirstCallsThatTakeLongChangeNothing) {
  for (const double longer : {0.0, 0.1}) {
    open("C1,G,G", "eft", 4);
    const DemandId either = demand(true, true);
    const ProfileId profile = estimates->profile(estimates->function("f"), 1);
    std::map<int, int> runs, later;
    Seconds now = 0;
    std::uint64_t id = 0;
    for (int round = 0; round < 40; ++round) {
      ++id;
      ready(id, either, 0, now, profile);
      const auto placement = placer->next(*this, now);
      ASSERT_TRUE(placement);
      const int on = placement->processor.value;
      const Seconds ran = (on == 0 ? 0.005 : 0.0002) + (runs[on]++ == 0 ? longer : 0);
      if (round >= 12)
        ++later[on];
      now += ran;
      finish(id, now, ran);
    }
    EXPECT_EQ(later[0], 0) << longer;
    EXPECT_EQ(later[1] + later[2], 28) << longer;
  }
}

/// One of two equal devices becomes three times slower: tasks move away, and come back when it is itself again.
TEST_F(PlacerTest, TasksMoveAwayFromAProcessorThatOthersUse) {
  open("C1,G,G", "eft", 1);
  const DemandId device = demand(false, true);
  const ProfileId profile = estimates->profile(estimates->function("f"), 1);
  struct Running {
    Seconds end, ran;
    std::uint64_t id;
  };
  std::map<int, Running> running;
  std::uint64_t next = 1;
  const auto drive = [&](Seconds from, Seconds until, double slow) {
    std::map<int, int> counts;
    for (Seconds now = from; now < until; now += 0.01) {
      for (auto at = running.begin(); at != running.end();) {
        if (at->second.end > now) {
          ++at;
          continue;
        }
        finish(at->second.id, now, at->second.ran);
        at = running.erase(at);
      }
      while (placer->waiting() < 4)
        ready(next++, device, 0, now, profile);
      while (const auto placement = placer->next(*this, now)) {
        const int on = placement->processor.value;
        const Seconds ran = on == 1 ? 0.1 * slow : 0.1;
        running[on] = {now + ran, ran, placement->id};
        ++counts[on];
      }
    }
    return counts;
  };
  auto counts = drive(0, 5, 1);
  EXPECT_NEAR(counts[1], counts[2], 3);
  counts = drive(5, 15, 3);
  EXPECT_GT(counts[2], 2 * counts[1]);
  EXPECT_EQ(estimates->guess(profile, table->classOf(ProcessorId{2}), 0).known, true);
  EXPECT_NEAR(estimates->guess(profile, table->classOf(ProcessorId{2}), 0).time, 0.1, 0.04);
  drive(15, 30, 1);
  counts = drive(30, 40, 1);
  EXPECT_NEAR(counts[1], counts[2], 10);
}

TEST_F(PlacerTest, SplitsAreWeightedByMeasuredSpeed) {
  open("C2,G,F", "eft", 4);
  const DemandId device = demand(false, true), cores = demand(true, false);
  const ProfileId profile = estimates->profile(estimates->function("f"), 1);
  const std::vector<DemandId> two{device, device}, three{device, cores, cores}, four{device, device, device, cores};
  EXPECT_TRUE(placer->weights(two, profile).empty()); // nothing is known
  for (int k = 0; k < 3; ++k) {
    estimates->add(profile, ProcessorId{0}, 1.0);
    estimates->add(profile, ProcessorId{1}, 0.4);
    estimates->add(profile, ProcessorId{2}, 0.1);
  }
  const auto ratio = [](const std::vector<double> &w) {
    std::string text;
    for (const double one : w)
      text += (text.empty() ? "" : " ") + std::to_string(static_cast<int>(one / w.back() * 100 + 0.5));
    return text;
  };
  EXPECT_EQ(ratio(placer->weights(two, profile)), "400 100");
  EXPECT_EQ(ratio(placer->weights(three, profile)), "1000 100 100");
  EXPECT_EQ(ratio(placer->weights(four, profile)), "500 250 500 100"); // the fast one works on two
}

TEST(AdmissionTest, SharesAndMemoryRunTogetherIfTheyFit) {
  Admission admission(8, 8_GiB);
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(admission.admits(25, 2_GiB)) << k;
    admission.start(25, 2_GiB);
  }
  EXPECT_FALSE(admission.admits(1, {}));
  admission.end(25, 2_GiB);
  EXPECT_TRUE(admission.admits(25, 2_GiB));
  EXPECT_FALSE(admission.admits(25, 2_GiB + Bytes{1}));
  EXPECT_FALSE(admission.admits(26, 2_GiB));
  Admission large(8, {});
  large.start(60, {});
  EXPECT_FALSE(large.admits(60, {}));
  EXPECT_TRUE(large.admits(40, 1000_GiB));
  Admission two(2, {});
  two.start(1, {});
  two.start(1, {});
  EXPECT_FALSE(two.admits(1, {}));
}

TEST(EstimatesTest, MedianWithoutWarmUpsAndOutliers) {
  RunTimes times;
  EXPECT_EQ(times.median(), 0);
  times.addWarmUp(0.5);
  EXPECT_NEAR(times.median(), 0.5, 1e-6);
  times.add(0.1);
  EXPECT_NEAR(times.median(), 0.1, 1e-6);
  times.add(3);
  EXPECT_NEAR(times.median(), 0.1, 1e-6);
  times.addWarmUp(0.01); // on another processor
  EXPECT_NEAR(times.median(), 0.1, 1e-6);
  for (int k = 0; k < RunTimes::kept; ++k)
    times.add(0.2);
  EXPECT_NEAR(times.median(), 0.2, 1e-6);
  EXPECT_EQ(times.recent().size(), static_cast<std::size_t>(RunTimes::kept));
}

TEST(EstimatesTest, GuessesFromOtherSizesFromCostAndFromElsewhere) {
  const ResourceTable table = processorsFrom("C4,G");
  Estimates estimates(table);
  const FunctionId f = estimates.function("f"), g = estimates.function("g");
  const ClassId cores = table.classOf(ProcessorId{0}), device = table.classOf(ProcessorId{1});
  const ProfileId small = estimates.profile(f, 1000), large = estimates.profile(f, 8000);
  EXPECT_NE(small, large);
  EXPECT_EQ(estimates.profile(f, 1001), small);
  EXPECT_EQ(estimates.guess(small, cores, 0).known, false);
  EXPECT_NEAR(estimates.guess(small, cores, 4).time, 4, 1e-9);
  EXPECT_NEAR(estimates.guess(small, device, 4).time, 0.4, 1e-9);
  for (int k = 0; k < 3; ++k)
    estimates.add(small, ProcessorId{0}, 1);
  EXPECT_TRUE(estimates.guess(small, cores, 0).known);
  EXPECT_NEAR(estimates.guess(large, cores, 0).time, 8, 1e-6);
  EXPECT_FALSE(estimates.guess(small, device, 0).known);
  EXPECT_NEAR(estimates.guess(small, device, 0).time, 1, 1e-6);
  EXPECT_FALSE(estimates.guess(estimates.profile(g, 1000), cores, 0).known);
}

TEST(EstimatesTest, AClassThatIsHopelesslySlowIsTriedOnceOnly) {
  const ResourceTable table = processorsFrom("C4,G");
  Estimates estimates(table);
  const ProfileId profile = estimates.profile(estimates.function("f"), 1);
  for (int k = 0; k < 3; ++k)
    estimates.add(profile, ProcessorId{1}, 0.1);
  estimates.add(profile, ProcessorId{0}, 30);
  EXPECT_TRUE(estimates.guess(profile, table.classOf(ProcessorId{0}), 0).known);
}

} // namespace
} // namespace streamap
