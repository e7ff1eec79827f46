// StreamMAP tests: an agent on its own, with a recording outlet in place of the other ranks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include "exec/current_task.h"
#include "exec/rank_agent.h"
#include "observe/counters.h"

namespace streamap {
namespace {

/// Remembers what an agent wanted done elsewhere.
class RecordingOutlet final : public AgentOutlet {
public:
  void transfer(SendOrder order) override {
    std::lock_guard lock(mutex);
    transfers.push_back(order.transfer.value);
    changed.notify_all();
  }
  void tell(Rank to, EventId event) override {
    std::lock_guard lock(mutex);
    told.emplace_back(to.value, event.value);
    changed.notify_all();
  }
  void completed(const std::vector<Completion> &completions) override {
    std::lock_guard lock(mutex);
    for (const auto &completion : completions)
      done.push_back(completion.task.value);
    changed.notify_all();
  }
  void reportSoon() override {}
  void failed(Failure failure) override {
    std::lock_guard lock(mutex);
    failures.push_back(failure.what);
    changed.notify_all();
  }

  /// Whether `what` becomes true within a generous time.
  bool eventually(const std::function<bool()> &what) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(30), what);
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::uint64_t> transfers, done;
  std::vector<std::pair<int, std::uint64_t>> told;
  std::vector<std::string> failures;
};

/// What the bodies below do: calls a function of the test.
struct CallPack {
  std::function<void()> *call;
};
void callBody(const void *pack) {
  (*static_cast<const CallPack *>(pack)->call)();
}

const streamap_task callTask = [] {
  streamap_task task{};
  task.abi_version = STREAMAP_ABI_VERSION;
  task.size = sizeof task;
  task.name = "call";
  task.file = __FILE__;
  task.pack_size = sizeof(CallPack);
  task.body = callBody;
  return task;
}();

class AgentTest : public testing::Test {
protected:
  RankAgent &start(int slots) {
    AgentSetup setup;
    setup.rank = Rank{1};
    setup.slots = slots;
    setup.mirror = &mirror;
    setup.outlet = &outlet;
    setup.counters = &counters;
    agent = std::make_unique<RankAgent>(setup);
    return *agent;
  }

  RunOrder order(std::uint64_t task, std::function<void()> &call, std::vector<std::uint64_t> after = {}) {
    auto pack = std::make_shared<LaunchPack>();
    const CallPack bytes{&call};
    pack->task = &callTask;
    pack->bytes.resize(sizeof bytes);
    std::memcpy(pack->bytes.data(), &bytes, sizeof bytes);
    RunOrder result;
    result.task = EventId{task};
    result.pack = std::move(pack);
    for (const auto event : after)
      result.after.push_back(EventId{event});
    return result;
  }

  Mirror mirror{Mirror::Kind::Home};
  Counters counters;
  RecordingOutlet outlet;
  std::unique_ptr<RankAgent> agent;
};

TEST_F(AgentTest, RunsATaskOnceItsEventsHaveHappened) {
  auto &a = start(1);
  std::atomic<int> ran{0};
  std::function<void()> count = [&] { ++ran; };
  a.happen(EventId{2}); // news may come before the order
  a.run(order(5, count, {2, 3, 4}));
  a.happen(EventId{4});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(ran, 0) << "sustained: event 3 has not happened";
  EXPECT_EQ(a.waiting(), 1u);
  a.happen(EventId{3});
  EXPECT_TRUE(outlet.eventually([&] { return outlet.done == std::vector<std::uint64_t>{5}; }));
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(a.waiting(), 0u);
}

TEST_F(AgentTest, AFinishedTaskIsAnEventForTasksSendsAndOtherRanks) {
  auto &a = start(2);
  std::function<void()> nothing = [] {};
  RunOrder second = order(11, nothing, {10});
  second.notify = {Rank{3}};
  a.run(std::move(second));
  SendOrder send;
  send.transfer = EventId{12};
  send.to = {Rank{2}, hostMemory};
  send.after = {EventId{11}};
  a.send(std::move(send));
  a.notify({EventId{10}, Rank{2}});
  a.run(order(10, nothing));
  EXPECT_TRUE(
      outlet.eventually([&] { return outlet.transfers.size() == 1 && outlet.told.size() == 2 && outlet.done.size() == 2; }));
  std::lock_guard lock(outlet.mutex);
  EXPECT_EQ(outlet.transfers, (std::vector<std::uint64_t>{12}));
  EXPECT_EQ(outlet.told, (std::vector<std::pair<int, std::uint64_t>>{{2, 10}, {3, 11}}));
}

TEST_F(AgentTest, ANotificationOfWhatHasHappenedGoesAtOnce) {
  auto &a = start(1);
  a.happen(EventId{7});
  a.notify({EventId{7}, Rank{2}});
  EXPECT_EQ(outlet.told.size(), 1u);
}

TEST_F(AgentTest, UrgentTasksFirst) {
  auto &a = start(1);
  std::atomic<bool> go{false};
  std::vector<int> ran;
  std::function<void()> block = [&] {
    while (!go)
      std::this_thread::yield();
  };
  std::function<void()> first = [&] { ran.push_back(1); }, second = [&] { ran.push_back(2); }, third = [&] { ran.push_back(3); };
  a.run(order(1, block));
  a.run(order(4, third));
  RunOrder urgent = order(3, first);
  urgent.priority = 9;
  a.run(order(2, second));
  a.run(std::move(urgent));
  go = true;
  EXPECT_TRUE(outlet.eventually([&] { return outlet.done.size() == 4; }));
  EXPECT_EQ(ran, (std::vector{1, 2, 3}));
}

TEST_F(AgentTest, WideTasksTakeTheCoresOfSeveralSlots) {
  auto &a = start(3);
  std::atomic<int> cores{0}, most{0};
  std::function<void()> narrow = [&] {
    most = std::max(most.load(), ++cores);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --cores;
  };
  std::function<void()> wide = [&] {
    most = std::max(most.load(), cores += 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    cores -= 2;
  };
  for (std::uint64_t task = 1; task <= 40; ++task) {
    RunOrder one = order(task, task % 3 == 0 ? wide : narrow);
    one.cores = task % 3 == 0 ? 2 : 1;
    a.run(std::move(one));
  }
  RunOrder tooWide = order(41, narrow);
  tooWide.cores = 100; // clamped: a rank never waits for what it has not got
  a.run(std::move(tooWide));
  EXPECT_TRUE(outlet.eventually([&] { return outlet.done.size() == 41; }));
  EXPECT_LE(most, 3);
}

TEST_F(AgentTest, HelpRunsOnTheCallingThread) {
  auto &a = start(0);
  std::thread::id where;
  std::function<void()> note = [&] { where = std::this_thread::get_id(); };
  EXPECT_FALSE(a.help());
  a.run(order(1, note));
  EXPECT_TRUE(a.help());
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_TRUE(outlet.eventually([&] { return outlet.done.size() == 1; }));
}

TEST_F(AgentTest, TheBodySeesItsShare) {
  auto &a = start(1);
  CurrentTask seen;
  std::function<void()> look = [&] { seen = currentTask(); };
  RunOrder one = order(6, look);
  one.shape = {2, 5, 100, 200, 1, 0};
  a.run(std::move(one));
  EXPECT_TRUE(outlet.eventually([&] { return outlet.done.size() == 1; }));
  EXPECT_EQ(seen.index, 2);
  EXPECT_EQ(seen.count, 5);
  EXPECT_EQ(seen.chunk.lo, 100);
  EXPECT_EQ(seen.chunk.hi, 200);
  EXPECT_TRUE(seen.inside);
  EXPECT_FALSE(insideTask());
}

TEST_F(AgentTest, BlocksCoverTheChunkInOrder) {
  auto &a = start(1);
  std::vector<std::pair<std::int64_t, std::int64_t>> chunks;
  std::function<void()> look = [&] { chunks.emplace_back(currentTask().chunk.lo, currentTask().chunk.hi); };
  RunOrder one = order(6, look);
  one.shape = {0, 1, -5, 18, 3, 10};
  a.run(std::move(one));
  EXPECT_TRUE(outlet.eventually([&] { return outlet.done.size() == 1; }));
  EXPECT_EQ(chunks, (std::vector<std::pair<std::int64_t, std::int64_t>>{{-5, 5}, {5, 15}, {15, 18}}));
}

TEST_F(AgentTest, AnExceptionIsAFailureAndStopsTheRest) {
  auto &a = start(1);
  std::atomic<int> ran{0};
  std::function<void()> wrong = [] { throw std::runtime_error("no such matrix"); }, next = [&] { ++ran; };
  a.run(order(2, next, {1}));
  a.run(order(1, wrong));
  EXPECT_TRUE(outlet.eventually([&] { return outlet.failures.size() == 1; }));
  a.run(order(3, next));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(outlet.failures[0], "an exception of type std::runtime_error left it: no such matrix");
}

TEST_F(AgentTest, CancelStartsNothingMore) {
  auto &a = start(1);
  std::atomic<int> ran{0};
  std::function<void()> count = [&] { ++ran; };
  a.run(order(2, count, {1}));
  a.cancel();
  a.happen(EventId{1});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(ran, 0);
}

TEST_F(AgentTest, ADiscardIsCompleted) {
  auto &a = start(1);
  a.discard({EventId{3}, {{0, 0}}});
  EXPECT_TRUE(outlet.eventually([&] { return outlet.done == std::vector<std::uint64_t>{3}; }));
}

TEST_F(AgentTest, RandomGraphsRunEachTaskOnceAndInOrder) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    outlet.done.clear();
    auto &a = start(static_cast<int>(1 + random() % 4));
    constexpr std::size_t tasks = 400;
    std::vector<std::atomic<int>> ran(tasks + 1);
    std::atomic<int> early{0};
    std::vector<std::vector<std::uint64_t>> after(tasks + 1);
    std::vector<std::function<void()>> bodies(tasks + 1);
    for (std::size_t task = 1; task <= tasks; ++task) {
      for (auto count = random() % 4; task > 1 && count > 0; --count)
        after[task].push_back(1 + random() % (task - 1));
      bodies[task] = [&, task] {
        for (const auto before : after[task])
          early += ran[before] == 0;
        ++ran[task];
      };
      a.run(order(task, bodies[task], after[task]));
    }
    ASSERT_TRUE(outlet.eventually([&] { return outlet.done.size() == tasks; })) << "seed " << seed;
    EXPECT_EQ(early, 0) << "seed " << seed;
    for (std::size_t task = 1; task <= tasks; ++task)
      ASSERT_EQ(ran[task], 1) << "seed " << seed << " task " << task;
    a.forget({EventId{tasks + 1}});
    agent.reset();
  }
}

TEST(CurrentTask, AThreadBorrowsTheTaskItWasCreatedIn) {
  std::thread([] { EXPECT_FALSE(insideTask()); }).join();
  const TaskScope scope(EventId{4}, TaskShape{3, 9});
  std::thread([] { // created through libstreamap's pthread_create
    EXPECT_TRUE(insideTask());
    EXPECT_EQ(currentTask().index, 3);
    streamap_frame frame;
    streamap_inline_begin(&frame);
    EXPECT_EQ(currentTask().index, 0);
    EXPECT_EQ(currentTask().count, 1);
    EXPECT_TRUE(insideTask());
    streamap_inline_end(&frame);
    EXPECT_EQ(currentTask().index, 3);
  })
      .join();
  EXPECT_EQ(currentTask().count, 9);
}

} // namespace
} // namespace streamap
