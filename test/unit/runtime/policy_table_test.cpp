// StreamMAP tests: where each policy puts a task, as one table.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "assign/placer.h"
#include "test_processors.h"

namespace streamap {
namespace {

constexpr int waits = -1, never = -2;

/// Tasks that are there already: each takes `units` cores or percent.
struct Busy {
  int on;
  int count = 1;
  int units = 1;
  Bytes memory{};
  double cost = 10;
};
struct Data {
  int at; ///< processor whose memory has it
  std::uint64_t bytes;
};
/// What is known of a processor beyond what this program does.
struct Outside {
  int on;
  double fraction = 0;
  Bytes memory{};
};

/// The task that is to be placed.
struct Wanted {
  char kind = 'C'; ///< C, G, or A: either
  int units = 0;   ///< cores, or percent; 0: 1 core, or 100 percent
  double cost = 10;
  Bytes memory{};
  std::vector<Data> reads{};
  int after = -1; ///< it follows that one of the busy tasks
  int priority = 0;
  std::vector<streamap_requirement> requirements{};
  int uuidOf = -1; ///< asks for that device
};

struct Situation {
  const char *name;
  const char *cluster;
  Wanted task;
  /// eft, least-loaded, locality, binpack, spread, round-robin
  std::array<int, 6> expected;
  std::vector<Busy> busy{};
  int lookahead = 2;
  std::vector<int> lost{};
  std::vector<Outside> outside{};
  Reservation reservation{};
};

constexpr std::uint64_t MB = 1'000'000;
const streamap_requirement cc9{STREAMAP_REQUIRE_CC, STREAMAP_GE, 90, nullptr};
const streamap_requirement cc10{STREAMAP_REQUIRE_CC, STREAMAP_GE, 100, nullptr};
const streamap_requirement below7{STREAMAP_REQUIRE_CC, STREAMAP_LT, 70, nullptr};
const streamap_requirement tensor{STREAMAP_REQUIRE_TENSORCORE, STREAMAP_EQ, 0, nullptr};
const streamap_requirement large{STREAMAP_REQUIRE_MEMORY, STREAMAP_GE, std::int64_t{10} << 30, nullptr};
const streamap_requirement fast{STREAMAP_REQUIRE_NAME, STREAMAP_EQ, 0, "FAST"};
const streamap_requirement ofTest{STREAMAP_REQUIRE_VENDOR, STREAMAP_EQ, 0, "test"};
const streamap_requirement ofOther{STREAMAP_REQUIRE_VENDOR, STREAMAP_EQ, 0, "nvidia"};
const streamap_requirement labelled{STREAMAP_REQUIRE_LABEL, STREAMAP_EQ, 0, "x"};

const std::vector<Situation> &situations() {
  static const std::vector<Situation> all{
      // ---- Cores
      {"nobody has anything", "C4 C4 C4", {}, {0, 0, 0, 0, 0, 0}},
      {"one has a task", "C4 C4 C4", {}, {1, 1, 1, 0, 1, 1}, {{0}}},
      {"two have a task", "C4 C4 C4", {}, {2, 2, 2, 0, 2, 2}, {{0}, {1}}},
      {"the first was served longest ago", "C4 C4 C4", {}, {1, 1, 1, 0, 1, 0}, {{0, 2}, {1}, {2}}},
      {"load is per core, but not to spread", "C1 C4", {}, {1, 1, 1, 1, 0, 0}, {{0}, {1, 2}}},
      {"one is full", "C1 C1", {}, {1, 1, 1, 1, 1, 1}, {{0}}, 1},
      {"all are full", "C1 C1", {}, {waits, waits, waits, waits, waits, waits}, {{0}, {1}}, 1},
      {"all are busy, and may have more ahead", "C1 C1", {}, {1, 0, 0, waits, 0, 0}, {{0, 1, 1, {}, 30}, {1}}},
      {"only one is wide enough", "C2 C8", {'C', 4}, {1, 1, 1, 1, 1, 1}},
      {"a wide task finds no four cores free", "C4 C8", {'C', 4}, {0, 1, 1, waits, 0, 0}, {{0}, {1, 1, 5}}},
      {"wide, free in one place", "C8 C8", {'C', 4}, {1, 1, 0, 1, 0, 0}, {{0, 1, 6}, {1}, {1}}},
      {"no processor is wide enough", "C4 C4", {'C', 5}, {never, never, never, never, never, never}},
      {"equal loads, first by number", "C4 C4", {}, {0, 0, 0, 0, 0, 0}, {{0}, {1}}},
      {"data decides between equals", "C4 C4", {'C', 1, 10, {}, {{1, 1000 * MB}}}, {1, 1, 1, 0, 0, 0}},
      {"data against load", "C4 C4", {'C', 1, 10, {}, {{1, 1000 * MB}}}, {1, 0, 1, 1, 0, 0}, {{1}}},
      {"little data against waiting", "C1 C1", {'C', 1, 10, {}, {{1, 500 * MB}}}, {0, 0, 1, 0, 0, 0}, {{1}}},
      {"much data against waiting", "C1 C1", {'C', 1, 10, {}, {{1, 2000 * MB}}}, {1, 0, 1, 0, 0, 0}, {{1}}},
      {"the one with the data has no room", "C1 C1", {'C', 1, 10, {}, {{1, 2000 * MB}}}, {waits, 0, 0, 0, 0, 0}, {{1}}, 1},
      {"two have parts of it", "C4 C4 C4", {'C', 1, 10, {}, {{1, 300 * MB}, {2, 700 * MB}}}, {2, 2, 2, 0, 0, 0}},
      {"the first was lost", "C4 C4 C4", {}, {1, 1, 1, 1, 1, 1}, {}, 2, {0}},
      {"the one with the data was lost", "C4 C4 C4", {'C', 1, 10, {}, {{1, 100 * MB}}}, {0, 0, 0, 0, 0, 0}, {}, 2, {1}},
      {"the head runs no tasks", "C0 C2", {}, {1, 1, 1, 1, 1, 1}},
      {"a chain goes on where it is", "C1 C1", {'C', 1, 10, {}, {}, 0}, {0, 0, 0, 0, 1, 1}, {{0}}},
      {"a chain goes on beyond the lookahead", "C1 C1", {'C', 1, 10, {}, {{0, 500 * MB}}, 0}, {0, 0, 0, 0, 1, 1}, {{0}}, 1},
      {"a chain leaves where others compete with it", "C2 C2", {'C', 1, 10, {}, {}, 0}, {1, 1, 1, 0, 1, 1}, {{0, 2}}},
      {"fewest tasks is not longest unserved", "C4 C4 C4", {}, {0, 0, 0, 1, 0, 1}, {{1, 3}, {0}, {2}}},
      {"two ranks of one node", "C4 C4 &C4", {}, {0, 0, 0, 1, 0, 0}, {{1}}},
      {"the quieter node", "C4 &C4 C4", {}, {1, 1, 1, 0, 2, 1}, {{0}}},
      // ---- Devices
      {"no device is used", "C4,G,G C4,G,G", {'G'}, {1, 1, 1, 1, 1, 1}},
      {"the first is full", "C4,G,G C4,G,G", {'G'}, {2, 2, 2, 2, 4, 2}, {{1, 1, 100}}},
      {"the first has room beside", "C4,G,G C4,G,G", {'G', 25}, {2, 2, 2, 1, 4, 2}, {{1, 1, 25}}},
      {"two tasks on one node, one on the other",
       "C1,G,G C1,G",
       {'G', 25},
       {1, 1, 1, 1, 4, 1},
       {{1, 1, 25}, {2, 1, 25}, {4, 1, 25}}},
      {"a share that fits beside one and not the other",
       "C4,G,G C4,G,G",
       {'G', 60},
       {4, 4, 4, 2, 4, 4},
       {{1, 1, 60}, {2, 1, 30}}},
      {"the fourth of four quarters", "C1,G", {'G', 25}, {1, 1, 1, 1, 1, 1}, {{1, 3, 25}}, 1},
      {"a fifth quarter", "C1,G", {'G', 25}, {waits, waits, waits, waits, waits, waits}, {{1, 4, 25}}, 1},
      {"the second of two large shares", "C1,G", {'G', 60}, {1, 1, 1, waits, 1, 1}, {{1, 1, 60}}, 1},
      {"memory is free on the busier one",
       "C1,G C1,G",
       {'G', 25, 10, 4_GiB},
       {3, 3, 1, 3, 1, 1},
       {{1, 1, 25, 6_GiB}, {3, 2, 25, 1_GiB}}},
      {"of equal use the one with less memory left",
       "C1,G C1,G",
       {'G', 25, 10, 1_GiB},
       {1, 1, 1, 3, 1, 1},
       {{1, 1, 25, 1_GiB}, {3, 1, 25, 2_GiB}}},
      {"more memory than any has", "C1,G C1,F", {'G', 100, 10, 20_GiB}, {never, never, never, never, never, never}},
      {"more memory than one has", "C1,G C1,F", {'G', 100, 10, 10_GiB}, {3, 3, 3, 3, 3, 3}},
      {"a capability", "C1,G C1,F", {'G', 0, 10, {}, {}, -1, 0, {cc9}}, {3, 3, 3, 3, 3, 3}},
      {"a capability that none has",
       "C1,G C1,F",
       {'G', 0, 10, {}, {}, -1, 0, {cc10}},
       {never, never, never, never, never, never}},
      {"an old one is asked for", "C1,G C1,K", {'G', 0, 10, {}, {}, -1, 0, {below7}}, {3, 3, 3, 3, 3, 3}},
      {"tensor cores", "C1,K,G", {'G', 0, 10, {}, {}, -1, 0, {tensor}}, {2, 2, 2, 2, 2, 2}},
      {"memory is required", "C1,G C1,F", {'G', 0, 10, {}, {}, -1, 0, {large}}, {3, 3, 3, 3, 3, 3}},
      {"a name, and that one is busy", "C1,G C1,F", {'G', 0, 10, {}, {}, -1, 0, {fast}}, {3, 3, 3, waits, 3, 3}, {{3, 1, 100}}},
      {"two requirements",
       "C1,F+x C1,F C1,G+x",
       {'G', 0, 10, {}, {}, -1, 0, {labelled, cc9}},
       {1, 1, 1, waits, 1, 1},
       {{1, 1, 20}},
       9},
      {"a vendor", "C1,G", {'G', 0, 10, {}, {}, -1, 0, {ofTest}}, {1, 1, 1, 1, 1, 1}},
      {"another vendor", "C1,G", {'G', 0, 10, {}, {}, -1, 0, {ofOther}}, {never, never, never, never, never, never}},
      {"a label", "C1,G C1,G+x", {'G', 0, 10, {}, {}, -1, 0, {labelled}}, {3, 3, 3, 3, 3, 3}},
      {"one particular device", "C4,G,G C4,G,G", {'G', 0, 10, {}, {}, -1, 0, {}, 4}, {4, 4, 4, 4, 4, 4}},
      {"a faster one is free", "C1,G C1,F", {'G', 0, 100}, {3, 1, 1, 1, 1, 1}},
      {"the faster one is worth waiting for", "C1,G C1,F", {'G', 0, 100}, {3, 1, 1, 1, 1, 1}, {{3, 1, 100, {}, 60}}},
      {"the faster one is not worth waiting for", "C1,G C1,F", {'G', 0, 100}, {1, 1, 1, 1, 1, 1}, {{3, 1, 100, {}, 140}}},
      {"the faster one has no room now", "C1,G C1,F", {'G', 0, 100}, {waits, 1, 1, 1, 1, 1}, {{3, 1, 100, {}, 60}}, 1},
      {"somebody else computes on it", "C1,G C1,G", {'G'}, {3, 3, 1, 3, 1, 1}, {}, 2, {}, {{1, 0.9}}},
      {"somebody else has its memory", "C1,G C1,G", {'G', 0, 10, 4_GiB}, {3, 3, 1, 3, 1, 1}, {}, 2, {}, {{1, 0, 7_GiB}}},
      {"a lost device", "C1,G C1,G", {'G'}, {3, 3, 3, 3, 3, 3}, {}, 2, {1}},
      {"all devices are lost", "C1,G", {'G'}, {waits, waits, waits, waits, waits, waits}, {}, 2, {1}},
      {"one is kept for urgent tasks", "C1,G,G", {'G'}, {1, 1, 1, waits, 1, 1}, {{1, 1, 100}}, 2, {}, {}, {1, 5}},
      {"this one is urgent", "C1,G,G", {'G', 0, 10, {}, {}, -1, 5}, {2, 2, 2, 2, 2, 2}, {{1, 1, 100}}, 2, {}, {}, {1, 5}},
      {"all are kept for urgent tasks", "C1,G", {'G'}, {1, 1, 1, 1, 1, 1}, {}, 2, {}, {}, {1, 5}},
      {"data on one of two devices", "C1,G,G", {'G', 0, 10, {}, {{2, 100 * MB}}}, {2, 2, 2, 1, 1, 1}},
      {"data in the rank's memory is near its devices", "C1,G C1,G", {'G', 0, 10, {}, {{2, 100 * MB}}}, {3, 3, 3, 1, 1, 1}},
      // ---- Either
      {"much to do: the device", "C4,G", {'A', 0, 100}, {1, 0, 0, 0, 0, 0}},
      {"little to do: where its data is", "C4,G", {'A', 0, 0.3, {}, {{0, 500 * MB}}}, {0, 0, 0, 0, 0, 0}},
      {"enough to do to move its data", "C4,G", {'A', 0, 3, {}, {{0, 500 * MB}}}, {1, 0, 0, 0, 0, 0}},
      {"the device is too busy", "C4,G", {'A', 0, 10}, {0, 0, 0, 0, 0, 0}, {{1, 1, 100, {}, 200}}},
      {"only the cores have room for it", "C4,G", {'A', 0, 10, 9_GiB}, {0, 0, 0, 0, 0, 0}},
  };
  return all;
}

class FromTable final : public TaskView {
public:
  void look(std::uint64_t, Ties &ties) override {
    ties.reads = given.reads;
    ties.held = given.held;
    ties.after = given.after;
  }
  Ties given;
};

Demand demandOf(const Wanted &wanted) {
  Demand demand;
  demand.onCores = wanted.kind != 'G';
  demand.onDevice = wanted.kind != 'C';
  if (wanted.units > 0)
    (wanted.kind == 'C' ? demand.cores : demand.share) = wanted.units;
  demand.memory = wanted.memory;
  return demand;
}

/// Where the task goes: a processor's number, waits, or never.
int placed(const Situation &situation, const Policy &policy) {
  const ResourceTable table = processorsFrom(situation.cluster);
  Estimates estimates(table);
  Placer placer(table, estimates, {&policy, situation.lookahead, 1, situation.reservation, nullptr});
  FromTable view;
  std::vector<Ticket> there;
  for (const Busy &busy : situation.busy)
    for (int k = 0; k < busy.count; ++k) {
      Judgement here;
      here.classes.assign(table.classes().size(), true);
      here.only.assign(static_cast<std::size_t>(table.size()), false);
      here.only[static_cast<std::size_t>(busy.on)] = true;
      here.reasons.resize(table.classes().size());
      here.cores = here.share = busy.units;
      const std::uint64_t id = there.size();
      there.push_back(placer.ready({id, placer.intern(here), noProfile, busy.cost, 0, busy.memory}, 0));
      const auto placement = placer.next(view, 0);
      EXPECT_TRUE(placement && placement->processor.value == busy.on) << situation.name << ": busy " << id;
    }
  for (const Outside &outside : situation.outside)
    placer.load(ProcessorId{outside.on}, outside.fraction, outside.memory);
  std::vector<Ticket> orphans;
  for (const int lost : situation.lost)
    placer.lost(ProcessorId{lost}, orphans);

  const Wanted &wanted = situation.task;
  std::vector<streamap_requirement> requirements = wanted.requirements;
  std::string uuid;
  if (wanted.uuidOf >= 0) {
    uuid = describe(table[ProcessorId{wanted.uuidOf}].device->uuid);
    requirements.push_back({STREAMAP_REQUIRE_UUID, STREAMAP_EQ, 0, uuid.c_str()});
  }
  Demand demand = demandOf(wanted);
  demand.requirements = requirements;
  const Judgement judgement = judge(table, demand);
  if (!judgement.anywhere()) {
    EXPECT_NE(judgement.why(), "") << situation.name;
    return never;
  }
  for (const Data &data : wanted.reads) {
    view.given.reads += data.bytes;
    view.given.held.push_back({table[ProcessorId{data.at}].place, data.bytes});
  }
  if (wanted.after >= 0)
    view.given.after.push_back(there[static_cast<std::size_t>(wanted.after)]);
  placer.ready({there.size(), placer.intern(judgement), noProfile, wanted.cost, wanted.priority, wanted.memory}, 0);
  const auto placement = placer.next(view, 0);
  return placement ? placement->processor.value : waits;
}

TEST(PolicyTable, EachPolicyPicksWhatItSays) {
  ASSERT_EQ(policies().size(), 6u);
  ASSERT_GE(situations().size(), 25u);
  for (const Situation &situation : situations())
    for (std::size_t k = 0; k < policies().size(); ++k)
      EXPECT_EQ(placed(situation, *policies()[k]), situation.expected[k]) << policies()[k]->name() << ": " << situation.name;
}

/// The table tells every two policies apart, several times over: to exchange them fails.
TEST(PolicyTable, NoTwoPoliciesCanBeExchanged) {
  for (std::size_t a = 0; a < policies().size(); ++a)
    for (std::size_t b = a + 1; b < policies().size(); ++b) {
      int differences = 0;
      for (const Situation &situation : situations())
        if (placed(situation, *policies()[a]) != situation.expected[b])
          ++differences;
      EXPECT_GE(differences, 5) << policies()[a]->name() << " in place of " << policies()[b]->name();
    }
}

TEST(PolicyTable, PoliciesAreFoundByName) {
  const std::vector<std::string_view> names{"eft", "least-loaded", "locality", "binpack", "spread", "round-robin"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    ASSERT_NE(findPolicy(names[k]), nullptr) << names[k];
    EXPECT_EQ(policies()[k]->name(), names[k]);
    EXPECT_NE(describePolicies().find(names[k]), std::string::npos);
  }
  EXPECT_EQ(findPolicy("least_loaded"), nullptr);
}

} // namespace
} // namespace streamap
