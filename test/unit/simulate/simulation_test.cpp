// StreamMAP tests: the simulator by hand-worked examples.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simulate/bounds.h"
#include "simulate/generate.h"

namespace streamap::simulate {
namespace {

constexpr double speed = 1e9; // of a core: a cost of 1e9 is one second

/// Latencies of nothing, so that sums are exact: 1e9 bytes a second between nodes and to devices.
Cluster plain(int nodes, int cores, int gpus) {
  Cluster cluster = regularCluster(nodes, cores, gpus, speed, 10, {1e9, 0});
  cluster.launchTime = 0;
  for (GpuKind &gpu : cluster.nodes[0].gpus)
    gpu.link = {1e9, 0};
  return cluster;
}

Outcome run(const Cluster &cluster, const Program &program, RunSetup setup = {}) {
  setup.trace = true;
  auto outcome = simulate(cluster, program, setup);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
  return outcome ? std::move(*outcome) : Outcome{};
}

class SimulationTest : public testing::Test {
protected:
  SimulationTest() { program.addFunction("work"); }
  ProgramTask task(double seconds, Resource resource = Resource::Core) {
    ProgramTask made;
    made.cost = seconds * speed;
    made.resource = resource;
    return made;
  }
  Program program;
};

TEST_F(SimulationTest, AChainTakesTheSumOfItsTasks) {
  const DatumId datum = program.addDatum(8);
  for (int k = 0; k < 5; ++k)
    program.launch(task(1), {{datum, AccessMode::ReadWrite}});
  program.step(Step::Kind::Finish);
  EXPECT_DOUBLE_EQ(run(plain(1, 4, 0), program).makespan, 5);
  EXPECT_DOUBLE_EQ(bounds(program, plain(1, 4, 0).resources()).criticalPath, 5);
}

TEST_F(SimulationTest, IndependentTasksShareTheCores) {
  for (int k = 0; k < 8; ++k)
    program.launch(task(1), {{program.addDatum(8), AccessMode::Write}});
  program.step(Step::Kind::Finish);
  EXPECT_DOUBLE_EQ(run(plain(1, 4, 0), program).makespan, 2);
  EXPECT_NEAR(bounds(program, plain(1, 4, 0).resources()).area, 2, 1e-9);
}

TEST_F(SimulationTest, DataTravelsOnceToANodeAndTransfersShareALink) {
  Cluster cluster = plain(2, 1, 0);
  cluster.nodes[0].cores = 0; // main's node only holds the data
  cluster.nodes[0].count = 1;
  cluster.nodes.push_back(cluster.nodes[0]);
  cluster.nodes[1].cores = 2;
  const DatumId first = program.addDatum(1'000'000'000), second = program.addDatum(1'000'000'000);
  program.launch(task(1), {{first, AccessMode::Read}});  // 1 s on the way, 1 s of work
  program.launch(task(1), {{second, AccessMode::Read}}); // waits for the link, arrives at 2 s
  program.launch(task(1), {{first, AccessMode::Read}});  // is there
  program.step(Step::Kind::Finish);
  const Outcome outcome = run(cluster, program);
  EXPECT_DOUBLE_EQ(outcome.makespan, 3);
  EXPECT_EQ(outcome.bytesBetweenNodes, 2'000'000'000U);
}

TEST_F(SimulationTest, ADeviceLoadsTheNextTaskWhileOneRuns) {
  const DatumId first = program.addDatum(1'000'000'000), second = program.addDatum(1'000'000'000);
  program.launch(task(20, Resource::Device), {{first, AccessMode::Read}}); // 1 s to load, 2 s of work
  program.launch(task(20, Resource::Device), {{second, AccessMode::Read}});
  program.step(Step::Kind::Finish);
  EXPECT_DOUBLE_EQ(run(plain(1, 1, 1), program).makespan, 1 + 2 + 2);
}

TEST_F(SimulationTest, WaitsBringHomeWhatWasWritten) {
  const DatumId datum = program.addDatum(1'000'000'000);
  program.launch(task(10, Resource::Device), {{datum, AccessMode::Write}}); // 1 s
  program.step(Step::Kind::Wait);                                           // 1 s back
  program.step(Step::Kind::Wait);                                           // it is there
  EXPECT_DOUBLE_EQ(run(plain(1, 1, 1), program).makespan, 2);
}

TEST_F(SimulationTest, AWaitOnWaitsForItsListAlone) {
  const DatumId quick = program.addDatum(1'000'000), slow = program.addDatum(1'000'000);
  program.launch(task(1), {{quick, AccessMode::Write}});
  program.launch(task(5), {{slow, AccessMode::Write}});
  program.waitedFor.push_back(quick);
  program.steps.push_back({Step::Kind::WaitOn, 0, 1});
  program.launch(task(1), {{program.addDatum(8), AccessMode::Write}});
  program.steps.back().before = 1; // main has its own to do: the last task starts at 2
  program.step(Step::Kind::Finish);
  const Outcome outcome = run(plain(1, 3, 0), program);
  std::map<std::uint32_t, Seconds> starts;
  for (const TracedTask &traced : outcome.trace)
    starts[traced.task] = traced.start;
  EXPECT_DOUBLE_EQ(starts.at(2), 2);
  EXPECT_DOUBLE_EQ(outcome.makespan, 5);
}

TEST_F(SimulationTest, AFullDeviceEvictsAndSavesWhatOnlyItHas) {
  Cluster cluster = plain(1, 1, 1);
  cluster.nodes[0].gpus[0].memory = Bytes{2'500'000'000};
  cluster.nodes[0].gpus[0].lanes = 1;
  const DatumId first = program.addData(4, 1'000'000'000);
  for (std::uint32_t k = 0; k < 4; ++k)
    program.launch(task(10, Resource::Device), {{DatumId{first.value + k}, AccessMode::Write}});
  program.step(Step::Kind::Finish);
  const Outcome outcome = run(cluster, program);
  EXPECT_EQ(outcome.evictions, 2U);
  EXPECT_EQ(outcome.bytesFromDevices, 2'000'000'000U);
  EXPECT_DOUBLE_EQ(outcome.makespan, 4 + 2); // 1 s each, and two are saved, 1 s each, before the next one has room
}

TEST_F(SimulationTest, SharesRunSideBySide) {
  ProgramTask quarter = task(10, Resource::Device);
  quarter.share = 25;
  for (int k = 0; k < 4; ++k)
    program.launch(quarter, {{program.addDatum(8), AccessMode::Write}});
  program.step(Step::Kind::Finish);
  Cluster cluster = plain(1, 1, 1);
  cluster.nodes[0].gpus[0].lanes = 4;
  EXPECT_DOUBLE_EQ(run(cluster, program).makespan, 1);
  for (ProgramTask &one : program.tasks)
    one.share = 60;
  EXPECT_DOUBLE_EQ(run(cluster, program).makespan, 4);
}

TEST_F(SimulationTest, ATaskThatFitsNowhereIsAnErrorWithTheNumbers) {
  ProgramTask wide = task(1);
  wide.cores = 5;
  program.launch(wide, {{program.addDatum(8), AccessMode::Write}});
  program.step(Step::Kind::Finish);
  const auto outcome = simulate(plain(2, 4, 0), program, {});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("5"), std::string::npos) << outcome.error().message;
  EXPECT_NE(outcome.error().message.find("4"), std::string::npos) << outcome.error().message;
}

TEST_F(SimulationTest, NoGpuAnywhereMeansTheCVersion) {
  program.launch(task(3, Resource::Device), {{program.addDatum(8), AccessMode::Write}});
  program.step(Step::Kind::Finish);
  EXPECT_DOUBLE_EQ(run(plain(1, 1, 0), program).makespan, 3);
}

TEST_F(SimulationTest, TasksOfALostDeviceRunElsewhere) {
  Cluster cluster = plain(1, 1, 2);
  for (int k = 0; k < 6; ++k)
    program.launch(task(10, Resource::Device), {{program.addDatum(8), AccessMode::Write}});
  program.step(Step::Kind::Finish);
  EXPECT_DOUBLE_EQ(run(cluster, program).makespan, 3);
  cluster.breakages.push_back({1.5, headRank, 1, 0});
  const Outcome outcome = run(cluster, program);
  EXPECT_EQ(outcome.stopped, "");
  EXPECT_DOUBLE_EQ(outcome.makespan, 5); // one has been run there; the other device runs the other five
  EXPECT_EQ(outcome.classes.size(), 2U);
}

TEST_F(SimulationTest, LostDataThatIsNeededEndsTheProgram) {
  Cluster cluster = plain(1, 1, 1);
  const DatumId datum = program.addDatum(1000);
  program.launch(task(10, Resource::Device), {{datum, AccessMode::Write}}); // until 1
  program.step(Step::Kind::Finish);
  program.launch(task(1), {{datum, AccessMode::Read}});
  program.steps.back().before = 2;
  program.step(Step::Kind::Finish);
  EXPECT_EQ(run(cluster, program).stopped, "");
  cluster.breakages.push_back({1.5, headRank, 0, 0});
  EXPECT_NE(run(cluster, program).stopped.find("lost"), std::string::npos);
}

TEST_F(SimulationTest, ASlowProcessorIsSlowFromThenOn) {
  Cluster cluster = plain(1, 1, 0);
  const DatumId datum = program.addDatum(8);
  for (int k = 0; k < 2; ++k)
    program.launch(task(1), {{datum, AccessMode::ReadWrite}});
  program.step(Step::Kind::Finish);
  cluster.breakages.push_back({0.5, headRank, {}, 3});
  EXPECT_DOUBLE_EQ(run(cluster, program).makespan, 1 + 3);
}

TEST_F(SimulationTest, NothingRunsBeforeItsPredecessorsAndNoCoreTwiceAtATime) {
  for (const char *graph : {"cholesky:tiles=12,size=256", "random:tasks=500,width=40", "stencil:blocks=20,steps=20",
                            "fork-join:width=20,depth=5", "map-reduce:maps=100,reduces=10"})
    for (const Policy *const policy : policies()) {
      const auto generated = generate(graph);
      ASSERT_TRUE(generated);
      RunSetup setup;
      setup.placement.policy = policy;
      setup.noise = 0.3;
      const Outcome outcome = run(regularCluster(3, 4, 2, 1e10, 10, {10e9, 2e-6}), *generated, setup);
      ASSERT_EQ(outcome.stopped, "") << graph;
      ASSERT_EQ(outcome.trace.size(), generated->tasks.size()) << graph;
      std::map<std::uint32_t, TracedTask> byTask;
      std::map<std::pair<int, int>, std::vector<std::pair<Seconds, Seconds>>> byLane;
      for (const TracedTask &traced : outcome.trace) {
        byTask[traced.task] = traced;
        byLane[{traced.processor.value, traced.lane}].emplace_back(traced.start, traced.end);
      }
      std::vector<Seconds> written(generated->data.size()), read(generated->data.size());
      for (std::uint32_t k = 0; k < generated->tasks.size(); ++k)
        for (const Use &use : generated->usesOf(generated->tasks[k])) {
          Seconds &writer = written[use.datum.value], &readers = read[use.datum.value];
          ASSERT_GE(byTask[k].start, writer - 1e-12) << graph << " task " << k;
          if (!writes(use.mode)) {
            readers = std::max(readers, byTask[k].end);
            continue;
          }
          ASSERT_GE(byTask[k].start, readers - 1e-12) << graph << " task " << k;
          writer = byTask[k].end;
          readers = 0;
        }
      for (auto &[lane, spans] : byLane) {
        std::sort(spans.begin(), spans.end());
        for (std::size_t k = 1; k < spans.size(); ++k)
          ASSERT_GE(spans[k].first, spans[k - 1].second - 1e-12) << graph;
      }
    }
}

TEST_F(SimulationTest, TheSameInputGivesTheSameOutput) {
  const auto generated = generate("random:tasks=2000,width=100");
  RunSetup setup;
  setup.noise = 0.2;
  const Cluster cluster = regularCluster(4, 4, 2, 1e10, 10, {10e9, 2e-6});
  const Outcome one = run(cluster, *generated, setup), two = run(cluster, *generated, setup);
  EXPECT_EQ(one.makespan, two.makespan);
  ASSERT_EQ(one.trace.size(), two.trace.size());
  for (std::size_t k = 0; k < one.trace.size(); ++k)
    ASSERT_EQ(std::tuple(one.trace[k].task, one.trace[k].processor, one.trace[k].start),
              std::tuple(two.trace[k].task, two.trace[k].processor, two.trace[k].start));
}

} // namespace
} // namespace streamap::simulate
