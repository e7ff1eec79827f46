// StreamMAP tests: random programs on a simulated cluster give the serial answer.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// STREAMAP_TEST_SEEDS=first:count runs other seeds than the usual ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/sections.h"
#include "base/run_set.h"
#include "exec/current_task.h"
#include "simulated_cluster.h"
#include "test_tasks.h"

namespace streamap {
namespace {

constexpr std::int64_t words = 96;

struct alignas(64) Field {
  std::array<Word, words> word{};
};

/// A program made from a seed, run twice: by the head on a simulated cluster, and serially.
class RandomProgram {
public:
  RandomProgram(unsigned seedGiven, bool devices) : seed(seedGiven), withDevices(devices), random(seedGiven ^ 0x5bd1e995u) {
    for (Word &word : home.word)
      word = random();
    serial = home;
  }

  /// Empty when all is well.
  std::string run();
  std::uint64_t deviceTasks = 0; ///< how many ran on a device

private:
  std::string drawDevices();
  std::int64_t pick(std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void launchSomething();
  void launch(const TestTask &task, TestPack pack, std::int64_t aFrom, std::int64_t bFrom, std::int64_t sFrom,
              std::int64_t serialTasks);
  void waitOnSomething();
  void discardSomething();
  void mainWrites(std::int64_t from, std::int64_t to);
  void compare(std::int64_t from, std::int64_t to, const char *when);
  streamap_axis words1(std::int64_t from, std::int64_t to) { return {from, 0, to - from, 0, 0, -1, sizeof(Word)}; }

  unsigned seed;
  bool withDevices;
  std::mt19937 random;
  Field home, serial;
  std::array<bool, words> out{}; ///< launched on since it was last given back
  Head *head = nullptr;
  std::string wrong;
};

void RandomProgram::launch(const TestTask &task, TestPack pack, std::int64_t aFrom, std::int64_t bFrom, std::int64_t sFrom,
                           std::int64_t serialTasks) {
  if (withDevices && chance(70)) { // all for GPUs, or some
    pack.gpuCount = chance(60) ? pack.count : pick(0, pack.count);
    pack.count -= pack.gpuCount;
  }
  pack.salt = random();
  pack.priority = pick(-2, 2);
  TestPack twin = pack;
  pack.a = home.word.data() + aFrom;
  pack.b = home.word.data() + bFrom;
  pack.s = home.word.data() + sFrom;
  twin.a = serial.word.data() + aFrom;
  twin.b = serial.word.data() + bFrom;
  twin.s = serial.word.data() + sFrom;
  // What main may not touch from now on.
  streamap_sink sink;
  streamap_grid grids[4];
  std::uint32_t count = task.descriptor.grids ? task.descriptor.grids(&pack, grids, 4) : 0;
  for (std::int64_t k = 0; k < serialTasks; ++k) {
    TaskShape shape;
    shape.index = k;
    shape.count = serialTasks;
    TaskScope scope(happened, shape);
    sink.begin({grids, count});
    task.descriptor.sections(&pack, &sink);
    for (ByteRun run : sink.runs)
      for (HomeAddress a = run.lo; a < run.hi; a += sizeof(Word))
        out[static_cast<std::size_t>((a - reinterpret_cast<std::uintptr_t>(home.word.data())) / sizeof(Word))] = true;
  }
  task.runSerially(twin, serialTasks);
  if (head->launch(task.descriptor, &pack) != Outcome::Done && wrong.empty())
    wrong = "a launch did not succeed";
}

void RandomProgram::launchSomething() {
  TestPack p;
  p.count = pick(1, 5);
  switch (pick(0, 9)) {
  case 0:
  case 1: // overlapping pointers into one array, in and inout
    p.count = 1;
    p.aLower = pick(0, 20);
    p.aLength = pick(0, 40);
    p.bLower = pick(-5, 20);
    p.bLength = pick(1, 30);
    return launch(mixTask(), p, pick(0, 30), pick(5, 40), 0, 1);
  case 2:
  case 3:
    p.count = 1;
    p.aLower = pick(0, 20);
    p.aLength = pick(0, 10);
    p.bLength = pick(1, 40);
    return launch(fillTask(), p, pick(0, 50), pick(0, 50), 0, 1);
  case 4: { // now and then in place, which must run as one task
    p.aLength = pick(8, 40);
    p.first = pick(0, 3);
    p.last = pick(0, p.aLength);
    std::int64_t a = pick(0, 20), b = chance(70) ? a + pick(42, 55 - (a > 15 ? a - 15 : 0)) : pick(0, 40);
    if (b + p.last > words)
      p.last = words - b;
    return launch(stencilTask(), p, a, b, 0, 1);
  }
  case 5: { // red-black, rows, descending
    p.pitch = pick(1, 4);
    p.bLength = pick(1, p.pitch);
    p.step = pick(1, 3);
    p.first = pick(0, 2);
    p.last = pick(0, 10);
    if (chance(40)) {
      p.step = -p.step;
      std::swap(p.first, p.last);
    }
    return launch(stridedTask(), p, pick(40, 70), chance(80) ? 0 : pick(0, 50), 0, 1);
  }
  case 6:
    p.count = 1;
    p.pitch = pick(4, 9);
    p.rows = pick(1, 8);
    p.bLower = pick(0, 3);
    p.bLength = pick(1, p.pitch - p.bLower);
    return launch(columnsTask(), p, 0, pick(0, 20), 0, 1);
  case 7:
    p.bLength = pick(1, 8);
    p.bLower = pick(0, 10);
    return launch(numberedTask(), p, 0, pick(0, 40), 0, p.count);
  case 8: // sometimes the target overlaps what is read or written: one task
    p.first = pick(0, 3);
    p.last = pick(p.first, 20);
    p.sLower = pick(-1, 2);
    p.sLength = pick(0, 4);
    return launch(sumTask(), p, pick(0, 10), chance(80) ? 35 : pick(0, 40), pick(60, 85) - (chance(20) ? 40 : 0), 1);
  default:
    p.first = pick(0, 3);
    p.last = pick(p.first, 30);
    p.step = pick(1, 2);
    p.sLength = pick(1, 6);
    return launch(xorTask(), p, pick(0, 20), 0, pick(52, 90), 1);
  }
}

void RandomProgram::compare(std::int64_t from, std::int64_t to, const char *when) {
  for (std::int64_t k = from; k < to && wrong.empty(); ++k)
    if (home.word[static_cast<std::size_t>(k)] != serial.word[static_cast<std::size_t>(k)])
      wrong = "word " + std::to_string(k) + " differs " + when;
}

/// What main owns it may write.
void RandomProgram::mainWrites(std::int64_t from, std::int64_t to) {
  for (std::int64_t k = from; k < to; ++k)
    if (!out[static_cast<std::size_t>(k)] && chance(50))
      home.word[static_cast<std::size_t>(k)] = serial.word[static_cast<std::size_t>(k)] = random();
}

void RandomProgram::waitOnSomething() {
  std::int64_t from = pick(0, words - 1), to = pick(from, words);
  streamap_axis axis = words1(from, to);
  streamap_region region{home.word.data(), 1, &axis};
  if (chance(50)) {
    head->waitOn({&region, 1});
  } else {
    head->waitOnBytes(reinterpret_cast<std::uintptr_t>(&home.word[static_cast<std::size_t>(from)]),
                      static_cast<std::uint64_t>(to - from) * sizeof(Word));
  }
  compare(from, to, "after wait on");
  std::fill(out.begin() + from, out.begin() + to, false);
  if (chance(80))
    mainWrites(from, to);
}

void RandomProgram::discardSomething() {
  std::int64_t from = pick(0, words - 1), to = pick(from, std::min(words, from + 20));
  streamap_axis axis = words1(from, to);
  streamap_region region{home.word.data(), 1, &axis};
  head->discard({&region, 1});
  std::fill(out.begin() + from, out.begin() + to, false);
  for (std::int64_t k = from; k < to; ++k) // undefined now
    home.word[static_cast<std::size_t>(k)] = serial.word[static_cast<std::size_t>(k)] = random();
}

/// None, or small ones: some cannot hold all that the program has, and some tasks are too large for them.
std::string RandomProgram::drawDevices() {
  if (chance(20))
    return "none";
  std::string text = "emulated:" + std::to_string(pick(1, 2));
  text += ",memory=" + std::to_string(chance(30) ? pick(5, 16) * 1024 : 1 << 20);
  text += chance(50) ? ",guard=on" : ",guard=off";
  return text;
}

std::string RandomProgram::run() {
  SimulationSetup simulation{seed, static_cast<int>(pick(1, 4)), static_cast<int>(chance(30) ? 0 : pick(1, 30)), {}};
  for (int rank = 0; withDevices && rank < simulation.ranks; ++rank)
    simulation.devices.push_back(drawDevices());
  SimulatedCluster cluster(simulation);
  HeadSetup setup{.desk = cluster, .ranks = {}};
  for (int rank = 0; rank < simulation.ranks; ++rank)
    setup.ranks.push_back(
        {NodeId{rank / 2}, static_cast<int>(pick(rank == simulation.ranks - 1 ? 1 : 0, 2)), cluster.offers(rank)});
  setup.lookahead = static_cast<int>(pick(1, 4));
  setup.policy = chance(70) ? std::string(policies()[pick(0, 5)]->name()) : "eft";
  if (chance(20))
    setup.maxTasks = static_cast<std::size_t>(pick(1, 10));
  setup.sync = chance(5);
  setup.stop = [&](const std::string &text) {
    if (wrong.empty())
      wrong = "stopped: " + text;
  };
  Head theHead(std::move(setup));
  head = &theHead;
  cluster.start(theHead);
  std::int64_t steps = pick(1, 40);
  for (std::int64_t k = 0; k < steps && wrong.empty(); ++k) {
    std::int64_t what = pick(1, 100);
    if (what <= 75) {
      launchSomething();
    } else if (what <= 90) {
      waitOnSomething();
    } else if (what <= 94) {
      discardSomething();
    } else {
      theHead.wait();
      compare(0, words, "after wait");
      out.fill(false);
      mainWrites(0, words);
    }
  }
  if (wrong.empty()) {
    theHead.wait();
    compare(0, words, "at the end");
  }
  cluster.stop();
  cluster.drain();
  for (const std::string &complaint : cluster.complaints())
    wrong += (wrong.empty() ? "" : "; ") + complaint;
  deviceTasks = cluster.traffic().deviceTasks;
  if (wrong.empty() && theHead.unfinished() != 0)
    wrong = "tasks are left";
  return wrong;
}

/// Runs as many seeds as are asked for; gives how many tasks ran on devices.
std::uint64_t runSeeds(bool devices, unsigned count) {
  unsigned first = 0;
  if (const char *given = std::getenv("STREAMAP_TEST_SEEDS")) {
    EXPECT_EQ(std::sscanf(given, "%u:%u", &first, &count), 2) << given;
  }
  int failures = 0;
  std::uint64_t deviceTasks = 0;
  for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
    RandomProgram program(seed, devices);
    std::string wrong = program.run();
    deviceTasks += program.deviceTasks;
    EXPECT_EQ(wrong, "") << "seed " << seed;
    failures += !wrong.empty();
  }
  return deviceTasks;
}

TEST(HeadRandom, GivesTheSerialAnswer) {
  EXPECT_EQ(runSeeds(false, 3000), 0u);
}

TEST(HeadRandom, GivesTheSerialAnswerWithDevices) {
  EXPECT_GT(runSeeds(true, 600), 0u);
}

} // namespace
} // namespace streamap
