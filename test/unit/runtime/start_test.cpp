// StreamMAP tests: launchers, sharing a machine, and ranks that do or do not fit together.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <map>

#include "discover/launcher.h"
#include "discover/share.h"
#include "start/greeting.h"
#include "start/surroundings.h"

namespace streamap {
namespace {

std::optional<Launcher> find(const std::map<std::string, std::string> &variables) {
  return findLauncher([&](const char *name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launcher, IsToldByItsVariables) {
  const auto open = find(
      {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}, {"PMIX_RANK", "2"}});
  ASSERT_TRUE(open);
  EXPECT_EQ(open->name, "Open MPI");
  EXPECT_EQ(open->rank, 2);
  EXPECT_EQ(open->size, 4);
  EXPECT_EQ(open->localRank, 0);
  EXPECT_EQ(find({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}})->size, 3);
  EXPECT_EQ(find({{"PMIX_RANK", "1"}})->size, 0);
  EXPECT_EQ(find({{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}})->rank, 5);
}

TEST(Launcher, NoneForAPlainProgram) {
  EXPECT_FALSE(find({{"PATH", "/bin"}}));
  EXPECT_FALSE(find({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}})) << "inside a batch script";
  EXPECT_FALSE(find({{"OMPI_COMM_WORLD_RANK", "x"}}));
}

Machine machine(const std::string &host, std::vector<std::uint32_t> cores, std::uint32_t quota = 0) {
  Machine m;
  m.host = host;
  m.boot = host + "-boot";
  m.cores = std::move(cores);
  m.quota = quota;
  return m;
}

std::vector<int> cores(const std::vector<RankShare> &shares) {
  std::vector<int> result;
  for (const auto &share : shares)
    result.push_back(share.cores);
  return result;
}

TEST(ShareCores, RanksOfOneMachineShareWhatTheyMayBothUse) {
  const std::vector<Machine> four{machine("a", {0, 1, 2, 3}), machine("a", {0, 1, 2, 3}), machine("b", {0, 1}),
                                  machine("a", {0, 1, 2, 3})};
  const auto shares = shareCores(four);
  EXPECT_EQ(cores(shares), (std::vector{2, 1, 2, 1}));
  EXPECT_EQ(shares[0].node, shares[3].node);
  EXPECT_NE(shares[0].node, shares[2].node);
  EXPECT_FALSE(shares[3].oversubscribed);
}

TEST(ShareCores, BoundRanksKeepTheirOwn) {
  const std::vector<Machine> two{machine("a", {0}), machine("a", {0, 1, 2})};
  EXPECT_EQ(cores(shareCores(two)), (std::vector{1, 2}));
}

TEST(ShareCores, MoreRanksThanCoresGetOneEachAndSaySo) {
  const std::vector<Machine> three(3, machine("a", {0, 1}));
  const auto shares = shareCores(three);
  EXPECT_EQ(cores(shares), (std::vector{1, 1, 1}));
  EXPECT_TRUE(shares[2].oversubscribed);
}

TEST(ShareCores, AControlGroupsLimitHoldsForAllTogether) {
  const std::vector<Machine> two(2, machine("a", {0, 1, 2, 3, 4, 5, 6, 7}, 4));
  EXPECT_EQ(cores(shareCores(two)), (std::vector{2, 2}));
}

TEST(BindingNotice, OnlyWhereCoresAreLeftOut) {
  std::vector<Machine> two{machine("a", {0}), machine("a", {1})};
  for (auto &one : two)
    one.machineCores = 2;
  EXPECT_FALSE(bindingNotice(two)) << "each has its own, none is left";
  for (auto &one : two)
    one.machineCores = 16;
  EXPECT_EQ(bindingNotice(two),
            "all ranks on a together are bound to 2 of its 16 cores; mpirun --bind-to none lets them use the others");
  for (auto &one : two)
    one.quota = 2;
  EXPECT_FALSE(bindingNotice(two)) << "more would be of no use";
}

TEST(Slots, SettingsWin) {
  std::vector<RankShare> shares(3);
  shares[0].cores = 4;
  Settings settings;
  EXPECT_EQ(slotsByRank(shares, settings), (std::vector{4, 1, 1}));
  settings.slots = 2;
  settings.headSlots = 0;
  EXPECT_EQ(slotsByRank(shares, settings), (std::vector{0, 2, 2}));
  EXPECT_EQ(slotsByRank(std::span(shares).first(1), settings), (std::vector{1})) << "somebody must run the tasks";
}

Greeting greeting(const std::string &host) {
  Greeting g;
  g.abiVersion = 1;
  g.machine = machine(host, {0});
  g.modules = {{11, 3, ""}, {22, 1, "libx.so"}};
  return g;
}

TEST(Greetings, SameProgramFits) {
  EXPECT_TRUE(checkGreetings(std::vector{greeting("a"), greeting("b")}));
}

TEST(Greetings, TheRankThatDoesNotFitIsNamed) {
  std::vector ranks{greeting("a"), greeting("a"), greeting("b")};
  ranks[2].modules[0].hash = 12;
  EXPECT_EQ(checkGreetings(ranks).error().message,
            "rank 2 on b and rank 0 on a run different binaries: the program is not the same file on both");
  ranks[2] = greeting("b");
  ranks[2].modules.pop_back();
  EXPECT_NE(checkGreetings(ranks).error().message.find("libx.so"), std::string::npos);
  ranks[1].problem = Error{"its MPI is broken", "mend it"};
  EXPECT_EQ(checkGreetings(ranks).error().message, "rank 1 on a: its MPI is broken");
  EXPECT_EQ(checkGreetings(ranks).error().hint, "mend it");
  ranks[1] = greeting("a");
  ranks[2] = greeting("b");
  ranks[2].abiVersion = 2;
  EXPECT_NE(checkGreetings(ranks).error().message.find("another version"), std::string::npos);
}

TEST(Greetings, Travel) {
  Greeting sent = greeting("b");
  sent.problem = Error{"none", "do nothing"};
  sent.machine.quota = 9;
  WireWriter out;
  encodeGreeting(out, sent);
  WireReader in(out.bytes());
  const Greeting got = decodeGreeting(in);
  EXPECT_TRUE(in.ok());
  ASSERT_TRUE(got.problem);
  EXPECT_EQ(got.problem->message, "none");
  EXPECT_EQ(got.problem->hint, "do nothing");
  EXPECT_EQ(got.machine.quota, 9u);
  EXPECT_EQ(got.machine.cores, sent.machine.cores);
  EXPECT_EQ(got.modules[1].path, "libx.so");
}

TEST(Surroundings, TheHeadsReplaceTheRanks) {
  setenv("SURROUNDINGS_TEST_A", "from the head=yes", 1);
  setenv("OMPI_SURROUNDINGS_TEST", "head", 1);
  const auto packed = packSurroundings();
  unsetenv("SURROUNDINGS_TEST_A");
  setenv("SURROUNDINGS_TEST_B", "of the rank", 1);
  setenv("OMPI_SURROUNDINGS_TEST", "rank", 1);
  EXPECT_EQ(takeSurroundings(packed), "");
  EXPECT_STREQ(getenv("SURROUNDINGS_TEST_A"), "from the head=yes");
  EXPECT_EQ(getenv("SURROUNDINGS_TEST_B"), nullptr);
  EXPECT_STREQ(getenv("OMPI_SURROUNDINGS_TEST"), "rank") << "the launcher's own variables stay";
}

} // namespace
} // namespace streamap
