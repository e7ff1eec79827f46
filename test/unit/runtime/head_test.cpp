// StreamMAP tests: what the head promises, one promise a test.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "head/head.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "simulated_cluster.h"
#include "test_tasks.h"

namespace streamap {
namespace {

/// A head over a simulated cluster.
class Cluster {
public:
  explicit Cluster(std::vector<int> slots, std::function<void(HeadSetup &)> change = {}, unsigned seed = 1)
      : simulation({seed, static_cast<int>(slots.size()), 0, {}}) {
    HeadSetup setup{.desk = simulation, .ranks = {}};
    for (int count : slots)
      setup.ranks.push_back({NodeId{0}, count});
    setup.notice = [this](const std::string &text) { notices.push_back(text); };
    setup.stop = [this](const std::string &text) { stops.push_back(text); };
    if (change)
      change(setup);
    head = std::make_unique<Head>(std::move(setup));
    simulation.start(*head);
  }
  ~Cluster() {
    simulation.stop();
    simulation.drain();
    EXPECT_EQ(simulation.complaints(), std::vector<std::string>{});
  }
  Outcome waitOn(const void *at, std::size_t bytes) { return head->waitOnBytes(reinterpret_cast<std::uintptr_t>(at), bytes); }

  SimulatedCluster simulation;
  std::vector<std::string> notices, stops;
  std::unique_ptr<Head> head;
};

TestPack mixPack(const Word *a, std::int64_t aWords, Word *b, std::int64_t bWords) {
  TestPack pack;
  pack.a = a;
  pack.aLength = aWords;
  pack.b = b;
  pack.bLength = bWords;
  return pack;
}

Word *words(std::vector<Word> &of) {
  return of.data();
}

TEST(Head, AChainOverWorkersMovesNothingThroughHome) {
  std::vector<Word> x(1000);
  Cluster cluster({0, 1, 1, 1}, [](HeadSetup &setup) { setup.policy = "round-robin"; });
  TestPack pack = mixPack(words(x), 0, words(x), 1000);
  for (int k = 0; k < 30; ++k)
    cluster.head->launch(mixTask().descriptor, &pack);
  EXPECT_EQ(cluster.head->wait(), Outcome::Done);
  auto traffic = cluster.simulation.traffic();
  EXPECT_EQ(traffic.fromHome, 4000u);
  EXPECT_EQ(traffic.intoHome, 4000u);
  EXPECT_EQ(traffic.betweenWorkers, 29 * 4000u);
  EXPECT_EQ(traffic.tasks[0], 0u);
}

TEST(Head, LeastLoadedLeavesAChainWhereItIs) {
  std::vector<Word> x(1000);
  Cluster cluster({0, 1, 1, 1});
  TestPack pack = mixPack(words(x), 0, words(x), 1000);
  for (int k = 0; k < 30; ++k)
    cluster.head->launch(mixTask().descriptor, &pack);
  cluster.head->wait();
  EXPECT_EQ(cluster.simulation.traffic().betweenWorkers, 0u);
}

TEST(Head, WaitOnMovesOnlyWhatIsNamed) {
  std::vector<Word> field(10000), residual(1);
  Cluster cluster({0, 1});
  TestPack pack = mixPack(words(field), 10, words(field), 10000), small = mixPack(words(field), 100, words(residual), 1);
  for (int k = 0; k < 5; ++k) {
    cluster.head->launch(mixTask().descriptor, &pack);
    cluster.head->launch(mixTask().descriptor, &small);
    cluster.waitOn(words(residual), sizeof(Word));
  }
  EXPECT_EQ(cluster.simulation.traffic().intoHome, 5 * sizeof(Word));
  cluster.head->wait();
  EXPECT_EQ(cluster.simulation.traffic().intoHome, 5 * sizeof(Word) + 40000);
}

TEST(Head, UnchangedDataIsNotSentAgain) {
  std::vector<Word> x(100000), y(100), z(100);
  Cluster cluster({0, 1});
  TestPack pack = mixPack(words(x), 100000, words(y), 100);
  cluster.head->launch(mixTask().descriptor, &pack);
  cluster.head->wait();
  EXPECT_EQ(cluster.simulation.traffic().fromHome, 400400u);
  pack.b = words(z);
  cluster.head->launch(mixTask().descriptor, &pack);
  cluster.head->wait();
  EXPECT_EQ(cluster.simulation.traffic().fromHome, 400800u);
  x[50000] = 1; // main may change it: the block of 64 KiB that holds it travels
  cluster.head->launch(mixTask().descriptor, &pack);
  cluster.head->wait();
  EXPECT_LE(cluster.simulation.traffic().fromHome, 400800u + 65536 + 400);
  EXPECT_GT(cluster.simulation.traffic().fromHome, 400800u + 1000);
}

TEST(Head, FloatingPointSumsAreTheSameOnAnyNumberOfTasksAndRanks) {
  std::vector<double> values(5000);
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = 1.0 / static_cast<double>(3 * k + 1) * (k % 3 == 0 ? -1e6 : 1.0);
  double serial = 0;
  for (double value : values)
    serial += value;
  std::vector<double> results;
  for (std::size_t ranks = 1; ranks <= 3; ++ranks)
    for (std::int64_t tasks : {1, 2, 7, 300}) {
      Cluster cluster(std::vector<int>(ranks, 1), {}, static_cast<unsigned>(tasks));
      double sum = 0;
      TestPack pack;
      pack.a = reinterpret_cast<const Word *>(values.data());
      pack.s = reinterpret_cast<Word *>(&sum);
      pack.last = static_cast<std::int64_t>(values.size());
      pack.count = tasks;
      cluster.head->launch(doubleSumTask().descriptor, &pack);
      cluster.head->wait();
      results.push_back(sum);
    }
  for (double result : results)
    EXPECT_EQ(result, results[0]); // bit for bit
  EXPECT_NEAR(results[0], serial, 1e-6);
}

TEST(Head, AFailingTaskStopsItsDependentsAndIsToldOnce) {
  std::vector<Word> x(10), y(10);
  Cluster cluster({1, 1});
  TestPack failing = mixPack(words(x), 10, words(x), 0), after = mixPack(words(x), 10, words(y), 10);
  cluster.head->launch(failingTask().descriptor, &failing);
  cluster.head->launch(mixTask().descriptor, &after);
  EXPECT_EQ(cluster.head->wait(), Outcome::Failed);
  EXPECT_EQ(y, std::vector<Word>(10));
  cluster.simulation.stop(); // it may still be telling
  ASSERT_EQ(cluster.stops.size(), 1u);
  EXPECT_EQ(cluster.head->launch(mixTask().descriptor, &after), Outcome::Failed);
  EXPECT_EQ(cluster.head->wait(), Outcome::Failed);
  cluster.head->onFailure({EventId{1}, Rank{1}, "again"});
  EXPECT_EQ(cluster.stops.size(), 1u);
}

TEST(Head, NamesTheTaskThatFailed) {
  std::vector<Word> x(10);
  std::vector<std::string> stops;
  struct Silent final : OrderDesk {
    void run(Rank, RunOrder) override {}
    void send(Rank, SendOrder) override {}
    void notify(Rank, NotifyOrder) override {}
    void forget(Rank, ForgetOrder) override {}
    void discard(Rank, DiscardOrder) override {}
    void settle(SettleOrder) override {}
    void flush() override {}
    bool helpLocally() override { return false; }
  } desk;
  HeadSetup setup{.desk = desk, .ranks = {{NodeId{0}, 1}}};
  setup.stop = [&](const std::string &text) { stops.push_back(text); };
  Head head(std::move(setup));
  TestPack pack = mixPack(words(x), 0, words(x), 1);
  pack.count = 3;
  pack.bLength = 2;
  head.launch(numberedTask().descriptor, &pack);
  head.onFailure({EventId{2}, Rank{0}, "signal SIGSEGV at address 0x10"});
  EXPECT_EQ(stops,
            std::vector<std::string>{"test.c:6: task 1 of 3 of numbered failed on rank 0: signal SIGSEGV at address 0x10"});
}

TEST(Head, ATaskThatCanNeverFitIsAnErrorWithTheNumbers) {
  std::vector<Word> x(10);
  Cluster cluster({2, 4});
  TestPack pack = mixPack(words(x), 0, words(x), 10);
  pack.cores = 5;
  EXPECT_EQ(cluster.head->launch(mixTask().descriptor, &pack), Outcome::Failed);
  EXPECT_EQ(cluster.stops,
            std::vector<std::string>{"test.c:1: mix wants 5 cores for a task, but the rank with the most slots has 4"});
}

TEST(Head, TellsOnceThatASplitRunsWhole) {
  std::vector<Word> x(100);
  Cluster cluster({1, 1});
  TestPack pack = mixPack(words(x), 100, words(x), 0);
  pack.last = 100;
  pack.count = 4;
  for (int k = 0; k < 3; ++k)
    cluster.head->launch(stencilTask().descriptor, &pack);
  cluster.head->wait();
  EXPECT_EQ(cluster.notices.size(), 1u);
}

/// Counts what is unfinished at the head when orders are given.
TEST(Head, LaunchesBeyondTheBoundWait) {
  std::vector<Word> x(1000);
  Cluster cluster({1, 1}, [](HeadSetup &setup) { setup.maxTasks = 16; });
  std::size_t most = 0;
  for (int k = 0; k < 500; ++k) {
    TestPack pack = mixPack(words(x), 0, words(x) + k, 1);
    cluster.head->launch(mixTask().descriptor, &pack);
    most = std::max(most, cluster.head->unfinished());
  }
  EXPECT_LE(most, 16u);
  EXPECT_GE(most, 10u);
  cluster.head->wait();
  EXPECT_EQ(cluster.head->unfinished(), 0u);
}

TEST(Head, LaunchesFromSeveralThreads) {
  constexpr int threads = 3, rounds = 60;
  std::vector<std::vector<Word>> data(threads, std::vector<Word>(64)), serial = data;
  {
    Cluster cluster({1, 1, 1});
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (int k = 0; k < rounds; ++k) {
          TestPack pack = mixPack(words(data[t]) + 16, 20, words(data[t]) + k % 8, 40);
          pack.salt = static_cast<Word>(k);
          TestPack twin = pack;
          twin.a = words(serial[t]) + 16;
          twin.b = words(serial[t]) + k % 8;
          cluster.head->launch(mixTask().descriptor, &pack);
          mixTask().runSerially(twin, 1);
          if (k % 7 == 0)
            cluster.waitOn(words(data[t]) + 10, 30 * sizeof(Word));
          if (k % 20 == 0)
            cluster.head->wait();
        }
        cluster.head->wait();
      });
    for (std::thread &thread : all)
      thread.join();
  }
  EXPECT_EQ(data, serial);
}

// ---- wait on, readers that have not started -----------------------------------------------------------------------------------

/// Does nothing by itself; the test says what happens.
class ScriptedDesk final : public OrderDesk {
public:
  void run(Rank rank, RunOrder order) override { runs.emplace_back(rank, std::move(order)); }
  void send(Rank rank, SendOrder order) override { sends.emplace_back(rank, std::move(order)); }
  void notify(Rank rank, NotifyOrder order) override { notifies.emplace_back(rank, order); }
  void forget(Rank, ForgetOrder) override {}
  void discard(Rank rank, DiscardOrder order) override { discards.emplace_back(rank, std::move(order)); }
  void settle(SettleOrder) override { ADD_FAILURE() << "no devices here"; }
  void flush() override {}
  bool helpLocally() override { return false; }
  std::vector<std::pair<Rank, RunOrder>> runs;
  std::vector<std::pair<Rank, SendOrder>> sends;
  std::vector<std::pair<Rank, NotifyOrder>> notifies;
  std::vector<std::pair<Rank, DiscardOrder>> discards;
};

void letWait(Head &head) {
  while (head.waiting() == 0)
    std::this_thread::yield();
}

TEST(Head, WaitOnReturnsBeforeReadersStartAndTheNextVersionWaitsForThem) {
  std::vector<Word> x(100), y(100);
  ScriptedDesk desk;
  HeadSetup setup{.desk = desk, .ranks = {{NodeId{0}, 0}, {NodeId{0}, 1}}};
  Head head(std::move(setup));
  TestPack pack = mixPack(words(x), 100, words(y), 100);
  head.launch(mixTask().descriptor, &pack);
  ASSERT_EQ(desk.runs.size(), 1u);
  ASSERT_EQ(desk.sends.size(), 1u);
  EventId reader = desk.runs[0].second.task;
  std::atomic<bool> returned = false;
  std::thread main([&] {
    head.waitOnBytes(reinterpret_cast<std::uintptr_t>(words(x)), 400);
    returned = true;
  });
  letWait(head);
  EXPECT_FALSE(returned); // the bytes have not left home
  head.onHomeDeparture(desk.sends[0].second.transfer);
  main.join();
  EXPECT_TRUE(returned); // although the reader has not started
  x[5] = 1;
  head.launch(mixTask().descriptor, &pack);
  ASSERT_EQ(desk.sends.size(), 2u);
  const SendOrder &again = desk.sends[1].second;
  EXPECT_EQ(again.after, std::vector<EventId>{reader}); // its memory holds what the reader needs
  EXPECT_NE(again.receiverHas.value, 0u);
  ASSERT_EQ(desk.notifies.size(), 1u);
  EXPECT_EQ(desk.notifies[0].first, Rank{1});
  EXPECT_EQ(desk.notifies[0].second.task, reader);
  EXPECT_EQ(desk.notifies[0].second.to, headRank);
}

TEST(Head, ADiscardWaitsUntilThePagesAreGone) {
  std::vector<Word> x(100000);
  ScriptedDesk desk;
  HeadSetup setup{.desk = desk, .ranks = {{NodeId{0}, 0}, {NodeId{0}, 1}}};
  Head head(std::move(setup));
  TestPack pack = mixPack(words(x), 0, words(x), 100000);
  head.launch(mixTask().descriptor, &pack);
  streamap_axis axis{0, 0, 100000, 0, 0, -1, sizeof(Word)};
  streamap_region region{words(x), 1, &axis};
  std::thread main([&] { head.discard({&region, 1}); });
  letWait(head);
  EXPECT_TRUE(desk.discards.empty());
  head.onCompletions({{desk.runs[0].second.task}}, Rank{1});
  ASSERT_EQ(desk.discards.size(), 1u);
  EXPECT_EQ(head.waiting(), 1u);
  head.onCompletions({{desk.discards[0].second.done}}, Rank{1});
  main.join();
  std::size_t before = desk.sends.size();
  head.launch(mixTask().descriptor, &pack); // nothing is known about the bytes any more
  ASSERT_EQ(desk.sends.size(), before + 1);
  EXPECT_EQ(desk.sends.back().second.receiverHas.value, 0u);
}

TEST(Head, DataForManyRanksSpreadsFromThoseThatHaveIt) {
  constexpr int ranks = 16;
  std::vector<Word> x(1000), y(ranks);
  ScriptedDesk desk;
  HeadSetup setup{.desk = desk, .ranks = std::vector<RankSetup>(ranks, {NodeId{0}, 1})};
  setup.ranks[0].slots = 0;
  Head head(std::move(setup));
  for (int k = 1; k < ranks; ++k) {
    TestPack pack = mixPack(words(x), 1000, words(y) + k, 1);
    head.launch(mixTask().descriptor, &pack);
  }
  std::vector<int> sent(ranks);
  for (const auto &[rank, order] : desk.sends)
    if (std::any_of(order.runs.begin(), order.runs.end(), [&](ByteRun run) { return run.bytes() == 4000; }))
      ++sent[static_cast<std::size_t>(rank.value)];
  EXPECT_LE(*std::max_element(sent.begin(), sent.end()), 5); // a star would be 15
  EXPECT_GE(sent[0], 2);
}

// ---- The end
// -----------------------------------------------------------------------------------------------------------------------

Word inStatic[50];

TEST(Head, ReturnFromMainBringsHomeOnlyStaticStorage) {
  std::vector<Word> onHeap(50);
  std::fill(std::begin(inStatic), std::end(inStatic), 0);
  Cluster cluster({0, 1});
  TestPack statics = mixPack(words(onHeap), 0, inStatic, 50), heap = mixPack(words(onHeap), 0, words(onHeap), 50);
  cluster.head->launch(fillTask().descriptor, &statics);
  cluster.head->launch(fillTask().descriptor, &heap);
  EXPECT_EQ(cluster.head->finish(Ending::Return), Outcome::Done);
  EXPECT_NE(inStatic[0], 0u);
  EXPECT_EQ(onHeap, std::vector<Word>(50));
  EXPECT_EQ(cluster.simulation.traffic().intoHome, 200u);
  EXPECT_EQ(cluster.head->launch(fillTask().descriptor, &heap), Outcome::Inline);
}

TEST(Head, ExitBringsEverythingHome) {
  std::vector<Word> onHeap(50);
  Cluster cluster({0, 1});
  TestPack heap = mixPack(words(onHeap), 0, words(onHeap), 50);
  cluster.head->launch(fillTask().descriptor, &heap);
  EXPECT_EQ(cluster.head->finish(Ending::Exit), Outcome::Done);
  EXPECT_NE(onHeap[0], 0u);
  EXPECT_EQ(cluster.head->launch(fillTask().descriptor, &heap), Outcome::Inline);
}

TEST(Head, DataOutInADeadStackFrameIsAnErrorOnAnyNumberOfRanks) {
  for (std::vector<int> slots : {std::vector<int>{1}, std::vector<int>{1, 1}}) {
    auto *onStack = static_cast<Word *>(__builtin_alloca(50 * sizeof(Word))); // a sanitizer may put arrays elsewhere
    std::fill_n(onStack, 50, 0);
    Cluster cluster(slots);
    TestPack pack = mixPack(onStack, 0, onStack, 50);
    cluster.head->launch(fillTask().descriptor, &pack);
    EXPECT_EQ(cluster.head->finish(Ending::Return, reinterpret_cast<std::uintptr_t>(onStack + 50)), Outcome::Failed);
    ASSERT_EQ(cluster.stops.size(), 1u);
    EXPECT_NE(cluster.stops[0].find("test.c:2: main returned while data of fill was still out"), std::string::npos)
        << cluster.stops[0];
  }
}

TEST(Head, DataOutInUnmappedPagesIsAnErrorAndNeverAStore) {
  for (bool atReturn : {false, true}) {
    void *pages = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    auto *data = static_cast<Word *>(pages);
    Cluster cluster({0, 1});
    TestPack pack = mixPack(data, 0, data, 5000);
    cluster.head->launch(fillTask().descriptor, &pack);
    munmap(static_cast<std::byte *>(pages) + 8192, 4096);
    EXPECT_EQ(atReturn ? cluster.head->finish(Ending::Return) : cluster.head->wait(), Outcome::Failed);
    ASSERT_EQ(cluster.stops.size(), 1u);
    EXPECT_NE(cluster.stops[0].find("its memory is no longer mapped"), std::string::npos) << cluster.stops[0];
    munmap(pages, 1 << 16);
  }
}

TEST(Head, DataGivenBackOnTheStackIsNoError) {
  for (std::vector<int> slots : {std::vector<int>{1}, std::vector<int>{1, 1}}) {
    auto *onStack = static_cast<Word *>(__builtin_alloca(50 * sizeof(Word))); // a sanitizer may put arrays elsewhere
    std::fill_n(onStack, 50, 0);
    Cluster cluster(slots);
    TestPack pack = mixPack(onStack, 0, onStack, 50);
    cluster.head->launch(fillTask().descriptor, &pack);
    cluster.waitOn(onStack, 50 * sizeof(Word));
    EXPECT_EQ(cluster.head->finish(Ending::Return, reinterpret_cast<std::uintptr_t>(onStack + 50)), Outcome::Done);
  }
}

} // namespace
} // namespace streamap
