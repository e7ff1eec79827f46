// StreamMAP tests: random programs on ranks with real agents, slots, links and mirrors.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "abi/registry.h"
#include "test_tasks.h"
#include "threaded_cluster.h"

namespace streamap {
namespace {

constexpr std::int64_t words = 4096;
using Field = std::array<Word, words>;

class RandomProgram {
public:
  RandomProgram(unsigned seed, bool withDevices) : random_(seed), withDevices_(withDevices) {
    for (Word &word : home_)
      word = static_cast<Word>(random_());
    serial_ = home_;
  }

  std::string run() {
    registerTestTasks();
    std::vector<int> slots;
    for (std::int64_t ranks = pick(1, 4); ranks > 0; --ranks)
      slots.push_back(static_cast<int>(pick(slots.empty() && ranks > 1 ? 0 : 1, 2)));
    widest_ = *std::max_element(slots.begin(), slots.end());
    ThreadedCluster cluster(slots, drawDevices(slots.size()));
    HeadSetup setup{.desk = cluster.desk(), .ranks = {}};
    for (std::size_t rank = 0; rank < slots.size(); ++rank)
      setup.ranks.push_back({NodeId{0}, slots[rank], cluster.offers(static_cast<int>(rank))});
    setup.lookahead = static_cast<int>(pick(1, 8));
    setup.keyOf = [](const streamap_task &task) { return keyOf(task); };
    std::string wrong;
    setup.stop = [&](const std::string &text) { wrong = text; };
    Head head(std::move(setup));
    cluster.start(head);
    const std::string result = steps(head, wrong);
    cluster.stop();
    deviceTasks = cluster.counters()[static_cast<std::size_t>(Counter::DeviceTasks)];
    return result;
  }
  std::uint64_t deviceTasks = 0; ///< how many ran on a device

private:
  /// None, or such that are too small for much of the program, slow, or lost after a while.
  std::vector<std::string> drawDevices(std::size_t ranks) {
    std::vector<std::string> devices;
    for (std::size_t rank = 0; withDevices_ && rank < ranks; ++rank) {
      if (pick(0, 4) == 0) {
        devices.emplace_back("none");
        continue;
      }
      std::string text = "emulated:" + std::to_string(pick(1, 2));
      text += ",memory=" + std::to_string(pick(0, 2) == 0 ? pick(12, 40) * 1024 : 1 << 20);
      text += pick(0, 1) ? ",guard=on" : ",guard=off";
      text += pick(0, 3) == 0 ? ",latency=50" : "";
      devices.push_back(text);
    }
    return devices;
  }

  std::string steps(Head &head, std::string &wrong) {
    for (std::int64_t step = pick(1, 60); step > 0 && wrong.empty(); --step) {
      if (pick(1, 100) <= 85) {
        launch(head);
        continue;
      }
      head.wait();
      if (home_ != serial_)
        return "differs after a wait";
      for (std::int64_t k = pick(0, 400); k > 0; --k) { // main writes, now and then only what was there
        const auto at = static_cast<std::size_t>(pick(0, words - 1));
        home_[at] = serial_[at] = pick(0, 1) ? static_cast<Word>(random_()) : home_[at];
      }
    }
    head.wait();
    return !wrong.empty() ? wrong : home_ != serial_ ? "differs at the end" : "";
  }

  std::int64_t pick(std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(hi - lo + 1));
  }

  void launch(Head &head) {
    TestPack pack;
    std::int64_t a = pick(0, 1000), b = pick(1500, 2500), s = pick(3700, 4000), tasks = 1;
    const TestTask *task = &mixTask();
    switch (pick(0, 5)) {
    case 0: // may overlap
      pack.aLength = pick(0, 1200);
      pack.bLength = pick(1, 1000);
      b = pick(500, 2500);
      break;
    case 1:
      task = &fillTask();
      pack.aLength = pick(0, 100);
      pack.bLength = pick(1, 1000);
      break;
    case 2:
      task = &stencilTask();
      pack.aLength = pick(200, 1000);
      pack.first = 1;
      pack.last = pack.aLength - 1;
      pack.count = pick(1, 6);
      break;
    case 3:
      task = &numberedTask();
      pack.count = tasks = pick(1, 6);
      pack.bLength = pick(1, 200);
      break;
    case 4:
      task = &sumTask();
      pack.last = pick(0, 1000);
      pack.sLength = pick(1, 8);
      pack.count = pick(1, 6);
      break;
    default:
      task = &xorTask();
      pack.last = pick(0, 1000);
      pack.sLength = pick(1, 8);
      pack.count = pick(1, 6);
    }
    if (withDevices_ && pick(0, 3) > 0) {
      pack.gpuCount = pick(0, 1) ? pack.count : pick(0, pack.count);
      pack.count -= pack.gpuCount;
    }
    pack.salt = static_cast<Word>(random_());
    pack.priority = pick(-1, 1);
    pack.cores = pick(1, widest_);
    TestPack twin = pack;
    pack.a = home_.data() + a;
    pack.b = home_.data() + b;
    pack.s = home_.data() + s;
    twin.a = serial_.data() + a;
    twin.b = serial_.data() + b;
    twin.s = serial_.data() + s;
    task->runSerially(twin, tasks);
    head.launch(task->descriptor, &pack);
  }

  std::mt19937 random_;
  bool withDevices_;
  int widest_ = 1; ///< slots of the rank that has most
  alignas(64) Field home_{};
  alignas(64) Field serial_{};
};

std::uint64_t runSeeds(bool devices, unsigned count) {
  std::uint64_t deviceTasks = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    const auto program = std::make_unique<RandomProgram>(seed, devices);
    const auto wrong = program->run();
    deviceTasks += program->deviceTasks;
    EXPECT_EQ(wrong, "") << "seed " << seed;
    if (!wrong.empty())
      break;
  }
  return deviceTasks;
}

TEST(ClusterRandom, GivesTheSerialAnswer) {
  EXPECT_EQ(runSeeds(false, 150), 0u);
}

TEST(ClusterRandom, GivesTheSerialAnswerWithDevices) {
  EXPECT_GT(runSeeds(true, 150), 500u);
}

} // namespace
} // namespace streamap
