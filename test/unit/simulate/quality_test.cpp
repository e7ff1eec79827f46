// StreamMAP tests: how good the assignment is, in virtual time.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "listed_graphs.h"
#include "simulate/bounds.h"
#include "simulate/generate.h"
#include "simulate/simulation.h"

namespace streamap::simulate {
namespace {

constexpr double coreSpeed = 1e10;

Cluster eightNodes() {
  return regularCluster(8, 8, 2, coreSpeed, 10, {10e9, 2e-6});
}

Program made(std::string_view text) {
  auto program = generate(text);
  EXPECT_TRUE(program) << (program ? "" : program.error().message);
  return program ? std::move(*program) : Program{};
}

Seconds makespan(const Cluster &cluster, const Program &program, std::string_view policy, bool history = true) {
  RunSetup setup;
  setup.placement.policy = findPolicy(policy);
  setup.history = history;
  const auto outcome = simulate(cluster, program, setup);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
  EXPECT_EQ(outcome ? outcome->stopped : "", "");
  return outcome ? outcome->makespan : 0;
}

/// eft over the higher one of critical path and area.
double overBound(std::string_view graph) {
  const Cluster cluster = eightNodes();
  const Program program = made(graph);
  const Bounds known = bounds(program, cluster.resources());
  const Seconds took = makespan(cluster, program, "eft");
  const double ratio = took / std::max(known.criticalPath, known.area);
  std::printf("%-34s critical path %7.3f s  area %7.3f s  eft %7.3f s  ratio %.3f\n", std::string(graph).c_str(),
              known.criticalPath, known.area, took, ratio);
  EXPECT_GE(ratio, 1 - 1e-9) << "faster than a lower bound";
  return ratio;
}

TEST(Quality, CloseToTheLowerBound) {
  EXPECT_LE(overBound("cholesky:tiles=40"), 1.15);
  EXPECT_LE(overBound("stencil:blocks=64,steps=200,on=device"), 1.15);
  EXPECT_LE(overBound("map-reduce:maps=4096,reduces=64"), 1.15);
}

/// A block that leaves the GPUs for one step holds its neighbours up for ten of theirs. To come near the area, which knows of no
/// order, all blocks would have to go to cores in waves that are agreed in advance; eft stays on the GPUs, and these are never
/// idle.
TEST(Quality, AStencilOfEitherKindKeepsTheGpusBusy) {
  EXPECT_LE(overBound("stencil:blocks=64,steps=200"), 1.42);
}

TEST(Quality, BestOrNearlySoOnTheListedGraphs) {
  const Cluster cluster = eightNodes();
  int good = 0;
  std::printf("%-48s", "makespan in s");
  for (const Policy *const policy : policies())
    std::printf(" %12s", std::string(policy->name()).c_str());
  std::printf("  eft/best\n");
  for (const std::string_view graph : listedGraphs) {
    const Program program = made(graph);
    std::printf("%-48s", std::string(graph).c_str());
    Seconds best = 0, eft = 0;
    for (const Policy *const policy : policies()) {
      const Seconds took = makespan(cluster, program, policy->name());
      std::printf(" %12.3f", took);
      best = best == 0 ? took : std::min(best, took);
      if (policy->name() == "eft")
        eft = took;
    }
    std::printf("  %8.3f\n", eft / best);
    good += eft <= 1.05 * best ? 1 : 0;
  }
  std::printf("eft is the best or within 5 %% of the best on %d of %zu\n", good, listedGraphs.size());
  EXPECT_GE(good, 45);
}

/// Two nodes with 4 cores, a GPU of the speed of 2 cores and one of 8.
Cluster mixed() {
  Cluster cluster = regularCluster(2, 4, 1, coreSpeed, 2, {10e9, 2e-6});
  cluster.nodes[0].gpus[0].name = "slow";
  cluster.nodes[0].gpus.push_back(cluster.nodes[0].gpus[0]);
  cluster.nodes[0].gpus[1].name = "fast";
  cluster.nodes[0].gpus[1].speed = 8 * coreSpeed;
  return cluster;
}

double overIdeal(const Cluster &cluster, const std::string &graph, double ideal) {
  const double ratio = makespan(cluster, made(graph), "eft") / ideal;
  std::printf("%-70s %.3f of ideal\n", graph.c_str(), ratio);
  EXPECT_GE(ratio, 1 - 1e-9);
  return ratio;
}

TEST(Quality, WeightedSplitsOnMixedDevices) {
  const double work = 10 * 20000 * 1e7; // launches, pieces, operations
  EXPECT_LE(overIdeal(mixed(), "split:launches=10,blocks=20000,cost=1e7,devices=4,cores=8", work / (28 * coreSpeed)), 1.05);
  EXPECT_LE(overIdeal(mixed(), "split:launches=10,blocks=20000,cost=1e7,devices=4,cores=0", work / (20 * coreSpeed)), 1.05);
  EXPECT_LE(overIdeal(eightNodes(), "split:launches=10,blocks=20000,cost=1e7,devices=16,cores=64", work / (224 * coreSpeed)),
            1.05);
}

TEST(Quality, SplitsLearnTheirWeights) {
  const Program program = made("split:launches=60,blocks=20000,cost=1e7,devices=4,cores=8,wait=1");
  const Seconds ideal = 60 * 20000 * 1e7 / (28 * coreSpeed);
  EXPECT_LE(makespan(mixed(), program, "eft", /*history=*/false), 1.12 * ideal); // with the first ones, which are even
}

TEST(Quality, WithoutHistoryItIsSoonFoundOut) {
  const Cluster cluster = eightNodes();
  const Program program = made("cholesky:tiles=30");
  EXPECT_LE(makespan(cluster, program, "eft", false), 1.25 * makespan(cluster, program, "eft"));
}

} // namespace
} // namespace streamap::simulate
