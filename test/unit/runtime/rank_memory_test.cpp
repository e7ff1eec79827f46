// StreamMAP tests: the memories of a rank with devices: admission, eviction, more data than a device holds, a lost device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/rank_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <string>
#include <thread>

#include "abi/registry.h"
#include "assign/demand.h"
#include "device/copy_shapes.h"
#include "head/head.h"
#include "test_devices.h"
#include "test_tasks.h"
#include "threaded_cluster.h"

namespace streamap {
namespace {

using namespace std::chrono_literals;

HomeAddress addressOf(const void *memory) {
  return reinterpret_cast<HomeAddress>(memory);
}

/// One stretch that is read and written.
DeviceLayout layoutOf(const void *memory, std::size_t bytes) {
  DeviceLayout layout;
  const ByteRun run{addressOf(memory), addressOf(memory) + bytes};
  layout.stretches.push_back({run, {run}, {run}});
  return layout;
}

class RankMemories : public testing::Test {
protected:
  void open(const std::string &devices) {
    memory = openMemory(mirror, devices, 0);
    ASSERT_TRUE(memory);
    lane = *memory->makeLane(0);
  }
  /// As a task does: adds 1 to every byte on the device.
  void bump(std::vector<std::uint8_t> &bytes) {
    const auto staged = memory->stage(0, lane, layoutOf(bytes.data(), bytes.size()));
    ASSERT_TRUE(staged) << staged.error().text.message;
    std::vector<std::uint8_t> copy(bytes.size());
    Device &device = memory->device(0);
    const CopyShape whole{Bytes{bytes.size()}, 1, {}, {}};
    ASSERT_TRUE(device.copyToHost(lane.queue, copy.data(), staged->addresses[0], whole));
    ASSERT_TRUE(device.finish(lane.queue));
    for (std::uint8_t &byte : copy)
      ++byte;
    ASSERT_TRUE(device.copyToDevice(lane.queue, staged->addresses[0], copy.data(), whole));
    ASSERT_TRUE(device.finish(lane.queue));
    memory->done(*staged);
  }
  ByteRun runOf(const std::vector<std::uint8_t> &bytes) const {
    return {addressOf(bytes.data()), addressOf(bytes.data()) + bytes.size()};
  }

  Mirror mirror{Mirror::Kind::Home};
  std::unique_ptr<RankMemory> memory;
  DeviceLane lane;
};

TEST_F(RankMemories, WhatATaskWritesStaysThereUntilTheHostWantsIt) {
  open("emulated:1,memory=1MiB");
  std::vector<std::uint8_t> x(5000, 1);
  const ByteRun run = runOf(x);
  EXPECT_TRUE(memory->isOnHost({&run, 1}));
  bump(x);
  bump(x);
  EXPECT_FALSE(memory->isOnHost({&run, 1}));
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(memory->device(0).activity().bytesToDevice, 3u * x.size()); // once for the memory, twice for the tasks' own
  ASSERT_TRUE(memory->bringToHost({&run, 1}));
  EXPECT_EQ(x, std::vector<std::uint8_t>(5000, 3));
  EXPECT_TRUE(memory->isOnHost({&run, 1}));
  x.assign(x.size(), 10);
  memory->hostChanges({&run, 1});
  bump(x);
  ASSERT_TRUE(memory->bringToHost({&run, 1}));
  EXPECT_EQ(x[4999], 11);
}

TEST_F(RankMemories, DeviceAddressesAreCongruentToHome) {
  for (const char *devices : {"emulated:1,memory=1MiB", "emulated:1,memory=1MiB,guard=off"}) {
    open(devices);
    std::vector<std::uint8_t> x(20'000);
    for (const std::size_t offset : {0u, 1u, 60u, 4095u, 7777u}) {
      const auto staged = memory->stage(0, lane, layoutOf(x.data() + offset, 300));
      ASSERT_TRUE(staged);
      EXPECT_EQ(staged->addresses[0].value % 4096, addressOf(x.data() + offset) % 4096);
      memory->done(*staged);
    }
  }
}

TEST_F(RankMemories, AWorkingSetFourTimesAsLargeGoesThrough) {
  for (const char *devices : {"emulated:1,memory=256KiB", "emulated:1,memory=256KiB,guard=off"}) {
    open(devices);
    std::vector<std::vector<std::uint8_t>> all(16, std::vector<std::uint8_t>(64 * 1024 - 8192));
    for (int round = 0; round < 3; ++round)
      for (auto &x : all)
        bump(x);
    for (const auto &x : all) {
      const ByteRun run = runOf(x);
      ASSERT_TRUE(memory->bringToHost({&run, 1}));
      EXPECT_EQ(x, std::vector<std::uint8_t>(x.size(), 3));
    }
    const RankMemory::Ledger ledger = memory->ledger(0);
    EXPECT_LE(ledger.mostReserved, ledger.budget);
    EXPECT_LE(ledger.allocated, ledger.reserved);
    EXPECT_GT(ledger.mostReserved, Bytes{3 * 64 * 1024}); // it was made use of
  }
}

TEST_F(RankMemories, ATaskThatDoesNotFitNowWaits) {
  open("emulated:1,memory=100KiB");
  std::vector<std::vector<std::uint8_t>> all(3, std::vector<std::uint8_t>(60 * 1024));
  const auto first = memory->stage(0, lane, layoutOf(all[0].data(), all[0].size()));
  ASSERT_TRUE(first);
  std::atomic<int> admitted = 0;
  std::vector<std::thread> others;
  for (int k = 1; k < 3; ++k)
    others.emplace_back([&, k] {
      const DeviceLane own = *memory->makeLane(0);
      const auto staged = memory->stage(0, own, layoutOf(all[static_cast<std::size_t>(k)].data(), 60 * 1024));
      EXPECT_TRUE(staged);
      EXPECT_LE(memory->device(0).activity().allocated, 100_KiB);
      ++admitted;
      memory->done(*staged);
    });
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(admitted, 0); // 120 % does not fit
  memory->done(*first);
  for (auto &thread : others)
    thread.join();
  EXPECT_EQ(admitted, 2);
}

TEST_F(RankMemories, MemoryBeyondTheSectionsIsLeftFree) {
  open("emulated:1,memory=100KiB");
  std::vector<std::uint8_t> x(60 * 1024), y(60 * 1024);
  bump(x);
  DeviceLayout layout = layoutOf(y.data(), 20 * 1024);
  layout.extra = 70_KiB;
  const auto staged = memory->stage(0, lane, layout); // x goes
  ASSERT_TRUE(staged);
  EXPECT_GE(memory->device(0).memoryInfo()->free, 70_KiB);
  const ByteRun run = runOf(x);
  EXPECT_TRUE(memory->isOnHost({&run, 1}));
  EXPECT_EQ(x[0], 1);
  memory->done(*staged);
  bump(x);
  layout.extra = 90_KiB;
  EXPECT_FALSE(memory->stage(0, lane, layout));
  bump(x); // and it does no harm
}

TEST_F(RankMemories, ATaskThatNeverFitsIsAnErrorWithBothNumbers) {
  open("emulated:1,memory=1MiB");
  std::vector<std::uint8_t> x(2 << 20);
  const auto staged = memory->stage(0, lane, layoutOf(x.data(), x.size()));
  ASSERT_FALSE(staged);
  EXPECT_EQ(staged.error().kind, DeviceErrorKind::OutOfMemory);
  EXPECT_NE(staged.error().text.message.find("2.00 MiB"), std::string::npos) << staged.error().text.message;
  EXPECT_NE(staged.error().text.message.find("1.00 MiB"), std::string::npos) << staged.error().text.message;
  EXPECT_TRUE(memory->stage(0, lane, layoutOf(x.data(), 900'000))); // and it does no harm
}

TEST_F(RankMemories, AnAbandonedTaskLeavesWhatTheHostHad) {
  open("emulated:1,memory=1MiB");
  std::vector<std::uint8_t> x(5000, 7);
  const ByteRun run = runOf(x);
  const auto staged = memory->stage(0, lane, layoutOf(x.data(), x.size()));
  ASSERT_TRUE(staged);
  EXPECT_FALSE(memory->isOnHost({&run, 1}));
  memory->abandoned(*staged);
  EXPECT_TRUE(memory->isOnHost({&run, 1}));
}

TEST(CopyShapes, AColumnIsOneCopy) {
  const RunSet column{{100, 108}, {200, 208}, {300, 308}, {1000, 1008}, {2000, 2016}};
  const auto rows = rowsOf(column);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (RowsOfRuns{{100, 108}, 3, 100}));
  EXPECT_EQ(rows[1], (RowsOfRuns{{1000, 1008}, 1, 0}));
  EXPECT_EQ(rows[2], (RowsOfRuns{{2000, 2016}, 1, 0}));
  EXPECT_TRUE(rowsOf({}).empty());
}

// ---- The whole way

/// A head with real agents, slots and lanes.
class Program {
public:
  Program(const std::vector<int> &slots, const std::vector<std::string> &devices,
          const std::function<void(HeadSetup &)> &change = {})
      : cluster(slots, devices) {
    HeadSetup setup{.desk = cluster.desk(), .ranks = {}};
    for (std::size_t rank = 0; rank < slots.size(); ++rank)
      setup.ranks.push_back({NodeId{0}, slots[rank], cluster.offers(static_cast<int>(rank))});
    setup.notice = [this](const std::string &text) { notices.push_back(text); };
    setup.stop = [this](const std::string &text) { stops.push_back(text); };
    registerTestTasks();
    setup.keyOf = [](const streamap_task &task) { return keyOf(task); };
    if (change)
      change(setup);
    head = std::make_unique<Head>(std::move(setup));
    cluster.start(*head);
  }
  ~Program() { cluster.stop(); }
  std::uint64_t deviceTasks() const { return cluster.counters()[static_cast<std::size_t>(Counter::DeviceTasks)]; }

  std::vector<std::string> notices, stops;
  ThreadedCluster cluster;
  std::unique_ptr<Head> head;
};

/// One G task: y = mix(all of x, y).
TestPack onGpu(std::vector<Word> &x, std::vector<Word> &y) {
  TestPack pack;
  pack.a = x.data();
  pack.aLength = static_cast<std::int64_t>(x.size());
  pack.b = y.data();
  pack.bLength = static_cast<std::int64_t>(y.size());
  pack.count = 0;
  pack.gpuCount = 1;
  return pack;
}

TEST(DeviceProgram, AChainStaysOnTheDevice) {
  Program program({1}, {"emulated:2,memory=16MiB"});
  std::vector<Word> x(50'000, 3), y(50'000, 5), serial = y;
  TestPack pack = onGpu(x, y), twin = pack;
  twin.b = serial.data();
  for (int k = 0; k < 20; ++k) {
    program.head->launch(mixTask().descriptor, &pack);
    mixTask().runSerially(twin, 1);
  }
  program.head->wait();
  EXPECT_EQ(y, serial);
  EXPECT_EQ(program.deviceTasks(), 20u);
  std::uint64_t toDevice = 0, toHost = 0;
  for (int device = 0; device < 2; ++device) {
    const DeviceActivity activity = program.cluster.memory(0)->device(device).activity();
    toDevice += activity.bytesToDevice;
    toHost += activity.bytesToHost;
  }
  EXPECT_EQ(toDevice, 400'000u); // x and y, once
  EXPECT_EQ(toHost, 200'000u);   // y, once
}

TEST(DeviceProgram, WithoutDevicesTheCVersionRunsWithOneNotice) {
  Program program({1}, {});
  std::vector<Word> x(100, 3), y(100, 5);
  const TestPack pack = onGpu(x, y);
  program.head->launch(mixTask().descriptor, &pack);
  program.head->launch(mixTask().descriptor, &pack);
  program.head->wait();
  EXPECT_EQ(program.notices,
            std::vector<std::string>{"test.c:1: mix asks for a GPU, and none can be used: its C version runs instead"});
  EXPECT_EQ(program.deviceTasks(), 0u);
}

TEST(DeviceProgram, AMissingGpuCanBeAnError) {
  Program program({1}, {}, [](HeadSetup &setup) { setup.missingGpuIsError = true; });
  std::vector<Word> x(100, 3), y(100, 5);
  const TestPack pack = onGpu(x, y);
  EXPECT_EQ(program.head->launch(mixTask().descriptor, &pack), Outcome::Failed);
  EXPECT_EQ(program.stops, std::vector<std::string>{"test.c:1: mix asks for a GPU, and none can be used"});
}

TEST(DeviceProgram, ATaskLargerThanAnyDeviceRunsItsCVersionAndSaysBothNumbers) {
  Program program({1}, {"emulated:1,memory=64KiB"});
  std::vector<Word> x(100, 3), y(50'000, 5), serial = y;
  TestPack pack = onGpu(x, y), twin = pack;
  twin.b = serial.data();
  program.head->launch(mixTask().descriptor, &pack);
  mixTask().runSerially(twin, 1);
  program.head->wait();
  EXPECT_EQ(y, serial);
  ASSERT_EQ(program.notices.size(), 1u);
  EXPECT_NE(program.notices[0].find("a task needs 205 KiB of memory, and of emulated GPU's tasks may use 64.0 KiB"),
            std::string::npos)
      << program.notices[0];
  EXPECT_EQ(program.deviceTasks(), 0u);
}

TEST(DeviceProgram, ALargerDeviceTakesWhatASmallerOneCannot) {
  Program program({1, 1}, {"emulated:1,memory=64KiB", "emulated:1,memory=16MiB"});
  std::vector<Word> x(100, 3), y(50'000, 5);
  const TestPack pack = onGpu(x, y);
  for (int k = 0; k < 5; ++k)
    program.head->launch(mixTask().descriptor, &pack);
  program.head->wait();
  EXPECT_EQ(program.notices.size(), 0u);
  EXPECT_EQ(program.cluster.memory(1)->device(0).activity().launches, 5u);
}

TEST(DeviceProgram, ALostDevicesTasksRunOnTheProcessor) {
  for (const int fault : {1, 3}) {
    Program program({2}, {"emulated:1,memory=16MiB,fault=" + std::to_string(fault)});
    std::vector<Word> x(1000, 3);
    std::vector<std::vector<Word>> y(6, std::vector<Word>(1000, 5));
    std::vector<Word> serial = y[0];
    TestPack twin = onGpu(x, serial);
    mixTask().runSerially(twin, 1);
    for (auto &one : y) {
      const TestPack pack = onGpu(x, one);
      program.head->launch(mixTask().descriptor, &pack);
      program.head->wait(); // so that nothing is on the device alone when it breaks
    }
    for (const auto &one : y)
      EXPECT_EQ(one, serial);
    EXPECT_TRUE(program.stops.empty()) << program.stops[0];
    EXPECT_EQ(program.deviceTasks(), static_cast<std::uint64_t>(fault - 1));
  }
}

TEST(DeviceProgram, DataThatOnlyALostDeviceHadIsAClearError) {
  Program program({1}, {"emulated:1,memory=16MiB,fault=2"});
  std::vector<Word> x(1000, 3), y(1000, 5);
  const TestPack pack = onGpu(x, y);
  program.head->launch(mixTask().descriptor, &pack);
  program.head->launch(mixTask().descriptor, &pack);
  program.head->wait();
  program.cluster.stop(); // whoever was to say so has
  ASSERT_EQ(program.stops.size(), 1u);
  EXPECT_NE(program.stops[0].find("is lost"), std::string::npos) << program.stops[0];
}

TEST(DeviceProgram, AliasedSectionsRunTheCVersion) {
  Program program({1}, {"emulated:1"});
  std::vector<Word> x(300, 3), serial = x;
  TestPack pack = onGpu(x, x);
  pack.aLength = 100;
  pack.b = x.data() + 50;
  pack.bLength = 100;
  TestPack twin = pack;
  twin.a = serial.data();
  twin.b = serial.data() + 50;
  program.head->launch(mixTask().descriptor, &pack);
  mixTask().runSerially(twin, 1);
  program.head->wait();
  EXPECT_EQ(x, serial);
  EXPECT_EQ(program.deviceTasks(), 0u);
  ASSERT_EQ(program.notices.size(), 1u);
}

TEST(DeviceFit, Requirements) {
  DeviceProperties device;
  device.name = "NVIDIA A100-SXM4-80GB";
  device.vendor = "nvidia";
  device.capability = {8, 0};
  device.memory = 80_GiB;
  device.uuid = *parseDeviceUuid("GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77");
  const auto meetsIt = [&](std::uint8_t key, std::uint8_t relation, std::int64_t number, const char *text) {
    ProcessorFacts facts;
    facts.device = device;
    facts.labels = {"Slow", "fast"};
    return meets(facts, {key, relation, number, text});
  };
  EXPECT_TRUE(meetsIt(STREAMAP_REQUIRE_CC, STREAMAP_GE, 80, nullptr));
  EXPECT_FALSE(meetsIt(STREAMAP_REQUIRE_CC, STREAMAP_GT, 80, nullptr));
  EXPECT_TRUE(meetsIt(STREAMAP_REQUIRE_CC, STREAMAP_LT, 90, nullptr));
  EXPECT_TRUE(meetsIt(STREAMAP_REQUIRE_TENSORCORE, STREAMAP_EQ, 0, nullptr));
  EXPECT_TRUE(meetsIt(STREAMAP_REQUIRE_MEMORY, STREAMAP_GE, std::int64_t{80} << 30, nullptr));
  EXPECT_FALSE(meetsIt(STREAMAP_REQUIRE_MEMORY, STREAMAP_GE, std::int64_t{81} << 30, nullptr));
  EXPECT_TRUE(meetsIt(STREAMAP_REQUIRE_VENDOR, STREAMAP_EQ, 0, "NVIDIA"));
  EXPECT_TRUE(meetsIt(STREAMAP_REQUIRE_NAME, STREAMAP_EQ, 0, "a100"));
  EXPECT_FALSE(meetsIt(STREAMAP_REQUIRE_NAME, STREAMAP_EQ, 0, "h100"));
  EXPECT_TRUE(meetsIt(STREAMAP_REQUIRE_UUID, STREAMAP_EQ, 0, "GPU-5D5B"));
  EXPECT_TRUE(meetsIt(STREAMAP_REQUIRE_LABEL, STREAMAP_EQ, 0, "slow"));
  EXPECT_FALSE(meetsIt(STREAMAP_REQUIRE_LABEL, STREAMAP_EQ, 0, "slo"));
}

} // namespace
} // namespace streamap
