// StreamMAP tests: what streamap-info --doctor makes of clusters that are not here: several machines.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>

#include "info/doctor.h"
#include "info/table.h"

namespace streamap {
namespace {

RankFacts rank(const std::string &host) {
  RankFacts facts;
  facts.machine.host = host;
  facts.machine.boot = host;
  facts.machine.cores = {0, 1, 2, 3};
  facts.machine.numa = {0, 0, 1, 1};
  facts.machine.machineCores = 4;
  facts.machine.machineNuma = 2;
  facts.launcher = "Open MPI";
  facts.launcherSize = 4;
  facts.mpi = {"Open MPI v5", 4, ThreadLevel::Serialized, GpuAware::Yes};
  facts.binaries = {"streamap-info 1", "prog 2"};
  facts.sight.drivers = {"NVIDIA 580, CUDA 13.0"};
  facts.sight.uses.resize(1);
  DeviceProperties device;
  device.backend = "cuda";
  device.name = "GPU";
  device.uuid = uuidFromText(host);
  device.ordinal = CudaOrdinal{0};
  device.nvml = NvmlIndex{0};
  facts.sight.devices = {device};
  return facts;
}

/// Four machines with a rank and a device each.
std::vector<RankFacts> cluster() {
  return {rank("a"), rank("b"), rank("c"), rank("d")};
}

std::vector<std::string> codes(std::vector<RankFacts> ranks, std::string_view devices = "auto") {
  std::vector<std::string> list;
  for (const Finding &finding : diagnose(takeStock(std::move(ranks)), devices)) {
    list.emplace_back(finding.code);
    EXPECT_FALSE(finding.what.empty() || finding.fix.empty() || finding.where.empty()) << finding.code;
    EXPECT_NE(std::find(findingCodes().begin(), findingCodes().end(), finding.code), findingCodes().end()) << finding.code;
  }
  return list;
}

using List = std::vector<std::string>;

TEST(Doctor, FindsNothingOnFourHealthyMachines) {
  EXPECT_EQ(codes(cluster()), List{});
  EXPECT_EQ(describeFindings({}), "Nothing is wrong.\n");
}

TEST(Doctor, FindsEachProblemOnTheMachineThatHasIt) {
  struct Row {
    const char *code, *where;
    void (*plant)(RankFacts &);
  };
  const std::vector<Row> rows{
      {"different-binaries", "rank 2 on c", [](RankFacts &r) { r.binaries[1] = "prog 3"; }},
      {"different-binaries", "rank 2 on c", [](RankFacts &r) { r.binaries.pop_back(); }},
      {"thread-level", "rank 2 on c", [](RankFacts &r) { r.mpi.threads = ThreadLevel::Funneled; }},
      {"cores-bound", "a", [](RankFacts &r) { r.machine.cores = {0}; }},
      {"no-driver", "c",
       [](RankFacts &r) {
         r.machine.nvidiaCards = 1;
         r.sight.drivers.clear();
         r.sight.devices.clear();
       }},
      {"gpu-invisible", "c", [](RankFacts &r) { r.sight.hidden = {{"GPU", uuidFromText("x"), "why"}}; }},
      {"cuda-order", "rank 2 on c",
       [](RankFacts &r) {
         r.sight.devices.push_back(r.sight.devices[0]);
         r.sight.devices[1].uuid = uuidFromText("y");
         r.sight.devices[1].ordinal = CudaOrdinal{1};
         r.sight.devices[0].nvml = NvmlIndex{1};
       }},
      {"gpu-exclusive", "c", [](RankFacts &r) { r.sight.devices[0].mode = ComputeMode::Prohibited; }},
      {"gpu-lost", "c", [](RankFacts &r) { r.sight.uses[0].lost = true; }},
      {"mpi-not-gpu-aware", "rank 2 on c", [](RankFacts &r) { r.mpi.gpuAware = GpuAware::NotTold; }},
  };
  for (const Row &row : rows) {
    auto ranks = cluster();
    row.plant(ranks[2]);
    EXPECT_EQ(codes(ranks), List{row.code});
    EXPECT_EQ(diagnose(takeStock(ranks), "auto").at(0).where, row.where) << row.code;
  }
}

TEST(Doctor, TellsSharingOfOneMachineFromOneRankEach) {
  EXPECT_EQ(codes({rank("a"), rank("a"), rank("b")}), List{"gpu-shared"});
  auto asked = std::vector{rank("a"), rank("a")};
  for (RankFacts &one : asked)
    one.sight.sharingAsked = true;
  EXPECT_EQ(codes(asked), List{});
  auto exclusive = std::vector{rank("a"), rank("a")};
  for (RankFacts &one : exclusive)
    one.sight.devices[0].mode = ComputeMode::Exclusive;
  EXPECT_EQ(codes(exclusive), List{"gpu-exclusive"}) << "it is not shared";
}

TEST(Doctor, AHiddenDeviceThatAnotherRankSeesIsNotMissing) {
  auto two = std::vector{rank("a"), rank("a")};
  two[1].sight.devices[0].uuid = uuidFromText("x");
  two[0].sight.hidden = {{"GPU", uuidFromText("x"), "why"}};
  two[1].sight.hidden = {{"GPU", uuidFromText("a"), "why"}};
  EXPECT_EQ(codes(two), List{});
}

TEST(Doctor, WithoutGpusNeitherDriverNorMpiIsMissed) {
  auto ranks = cluster();
  for (RankFacts &one : ranks) {
    one.sight = {};
    one.mpi.gpuAware = GpuAware::No;
  }
  EXPECT_EQ(codes(ranks), List{});
  EXPECT_EQ(codes(ranks, "none"), List{});
  EXPECT_EQ(codes(ranks, "cuda").size(), 4u) << "asked for, and on no machine";
}

TEST(Doctor, OneOfManySingletonsSpeaksForAll) {
  auto one = rank("a");
  one.mpi.size = 1;
  EXPECT_EQ(codes({one}), List{"singletons"});
}

} // namespace
} // namespace streamap
