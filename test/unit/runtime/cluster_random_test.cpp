// StreamMAP tests: random programs on ranks with real agents, slots, links and mirrors.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>

#include "abi/registry.h"
#include "doubles/cuda/control.h"
#include "test_tasks.h"
#include "threaded_cluster.h"

namespace streamap {
namespace {

constexpr std::int64_t words = 4096;
using Field = std::array<Word, words>;

class RandomProgram {
public:
  /// \p devices: the setting of every rank; empty: drawn anew for each.
  RandomProgram(unsigned seed, bool withDevices, std::string devices = {})
      : random_(seed), withDevices_(withDevices), devices_(std::move(devices)) {
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
    return wrong.empty() ? result : wrong;
  }
  std::uint64_t deviceTasks = 0; ///< how many ran on a device

private:
  /// None, or such that are too small for much of the program, slow, or lost after a while.
  std::vector<std::string> drawDevices(std::size_t ranks) {
    std::vector<std::string> devices;
    if (!devices_.empty())
      return std::vector(ranks, devices_);
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
      if (head.wait() == Outcome::Failed)
        return "failed"; // the reason may still be on its way
      if (home_ != serial_)
        return "differs after a wait";
      for (std::int64_t k = pick(0, 400); k > 0; --k) { // main writes, now and then only what was there
        const auto at = static_cast<std::size_t>(pick(0, words - 1));
        home_[at] = serial_[at] = pick(0, 1) ? static_cast<Word>(random_()) : home_[at];
      }
    }
    if (head.wait() == Outcome::Failed)
      return "failed";
    return home_ != serial_ ? "differs at the end" : "";
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
  std::string devices_;
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

#ifdef STREAMAP_CUDA_DOUBLE
/// The double of the CUDA driver, and programs through it. All ranks share its devices.
class ClusterOnCuda : public testing::Test {
protected:
  void SetUp() override {
    void *const library = dlopen(STREAMAP_CUDA_DOUBLE, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    configure_ = reinterpret_cast<decltype(configure_)>(dlsym(library, "cudaDoubleConfigure"));
    reportTo_ = reinterpret_cast<decltype(reportTo_)>(dlsym(library, "cudaDoubleReport"));
    calls_ = reinterpret_cast<decltype(calls_)>(dlsym(library, "cudaDoubleCalls"));
    // So that it knows the twins of the PTX.
    reinterpret_cast<decltype(&streamap_register)>(dlsym(library, "streamap_register"))(&testUnit());
  }
  std::string run(unsigned seed, const std::string &settings) {
    EXPECT_EQ(configure_(settings.c_str()), nullptr);
    const auto program = std::make_unique<RandomProgram>(
        seed, true, "cuda,driver=" STREAMAP_CUDA_DOUBLE ",nvml=libnvidia-ml-that-is-not-there.so.1,piece=4KiB");
    std::string said = program->run();
    deviceTasks_ += program->deviceTasks;
    reportTo_(&report_);
    return said;
  }
  std::uint64_t left() const {
    return report_.contexts + report_.streams + report_.events + report_.modules + report_.deviceBuffers + report_.hostBuffers;
  }

  decltype(&cudaDoubleConfigure) configure_ = nullptr;
  decltype(&cudaDoubleReport) reportTo_ = nullptr;
  decltype(&cudaDoubleCalls) calls_ = nullptr;
  DoubleReport report_{};
  std::uint64_t deviceTasks_ = 0;
};

TEST_F(ClusterOnCuda, GivesTheSerialAnswer) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    ASSERT_EQ(run(seed, "devices=2; memory=64MiB; delay_us=" + std::to_string(seed % 3 * 40)), "") << "seed " << seed;
    EXPECT_EQ(report_.misuses, 0u) << "seed " << seed;
    EXPECT_EQ(left(), 0u) << "seed " << seed;
  }
  EXPECT_GT(deviceTasks_, 200u);
}

/// Whatever fails: the serial answer, or an error, and nothing that no correct program does. Never another answer, and never a
/// hang.
TEST_F(ClusterOnCuda, EachCallOfTheDriverFailsInTurn) {
  constexpr unsigned seed = 3;
  const std::string machine = "devices=2; memory=64MiB";
  ASSERT_EQ(run(seed, machine), "");
  std::istringstream calls(calls_());
  std::string name;
  for (std::uint64_t count = 0; calls >> name >> count;)
    for (const int code : {999, 700}) {
      const std::string fail = name + ":" + std::to_string((count + 1) / 2) + "=" + std::to_string(code);
      const std::string said = run(seed, machine + "; fail=" + fail);
      EXPECT_EQ(said.find("differs"), std::string::npos) << fail << ": " << said;
      EXPECT_EQ(report_.misuses, 0u) << fail << ": " << said;
      if (name != "cuDevicePrimaryCtxRelease_v2") { // gives everything back, if it does not fail
        EXPECT_EQ(left(), 0u) << fail << ": " << said;
      }
    }
}
#endif

} // namespace
} // namespace streamap
