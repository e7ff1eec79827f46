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

/// Makes the test tasks known, as a constructor of generated code would.
void registerTasks() {
  static const std::vector<const streamap_task *> tasks{&mixTask().descriptor,     &fillTask().descriptor,
                                                        &stencilTask().descriptor, &numberedTask().descriptor,
                                                        &sumTask().descriptor,     &xorTask().descriptor};
  static const streamap_unit unit{
      STREAMAP_ABI_VERSION, static_cast<std::uint32_t>(tasks.size()), __FILE__, "none", tasks.data(), nullptr, nullptr};
  static const bool once = (streamap_register(&unit), true);
  (void)once;
}

class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    for (Word &word : home_)
      word = static_cast<Word>(random_());
    serial_ = home_;
  }

  std::string run() {
    registerTasks();
    std::vector<int> slots;
    for (std::int64_t ranks = pick(1, 4); ranks > 0; --ranks)
      slots.push_back(static_cast<int>(pick(slots.empty() && ranks > 1 ? 0 : 1, 2)));
    widest_ = *std::max_element(slots.begin(), slots.end());
    ThreadedCluster cluster(slots);
    HeadSetup setup{.desk = cluster.desk(), .ranks = {}};
    for (const int count : slots)
      setup.ranks.push_back({NodeId{0}, count});
    setup.lookahead = static_cast<int>(pick(1, 8));
    setup.keyOf = [](const streamap_task &task) { return keyOf(task); };
    std::string wrong;
    setup.stop = [&](const std::string &text) { wrong = text; };
    Head head(std::move(setup));
    cluster.start(head);
    const std::string result = steps(head, wrong);
    cluster.stop();
    return result;
  }

private:
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
  int widest_ = 1; ///< slots of the rank that has most
  alignas(64) Field home_{};
  alignas(64) Field serial_{};
};

TEST(ClusterRandom, GivesTheSerialAnswer) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    const auto wrong = std::make_unique<RandomProgram>(seed)->run();
    ASSERT_EQ(wrong, "") << "seed " << seed;
  }
}

} // namespace
} // namespace streamap
