// StreamMAP tests: what the simulator reads, and what it says when that is wrong.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "simulate/cluster.h"
#include "simulate/generate.h"
#include "simulate/quantity.h"
#include "simulate/recorded.h"
#include "simulate/simulation.h"

namespace streamap::simulate {
namespace {

class InputTest : public testing::Test {
protected:
  void TearDown() override { std::filesystem::remove(path); }
  const std::string &file(const std::string &text) {
    std::ofstream(path) << text;
    return path;
  }
  /// The message without the file's name, or "" if there is no error.
  template <class T> std::string complaint(const Result<T> &result) const {
    if (result)
      return "";
    const std::string &message = result.error().message;
    return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message;
  }

  std::string path = testing::TempDir() + "simulate_" + testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                     std::to_string(getpid()) + ".json";
};

TEST_F(InputTest, AClusterWithEverything) {
  const auto cluster = readCluster(file(R"({
    // as many comments as one likes
    "nodes": [
      {"count": 2, "name": "fat", "cores": 16, "core_speed": 2e10, "labels": ["nvlink"],
       "gpus": [{"count": 4, "name": "NVIDIA H200", "cc": "9.0", "speed": 6e13, "memory": "141GB",
                 "link": {"bandwidth": "50GB/s", "latency": "5us"}}]},
      {"cores": 8}
    ],
    "links": {"between_nodes": {"bandwidth": "12.5GB/s", "latency": "2us"}},
    "failures": [{"at": "2s", "node": 1, "gpu": 3}, {"at": 3, "node": 2, "slowdown": 2}]
  })"));
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->describe(), "3 nodes, 40 cores, 8 GPUs");
  const ResourceTable table = cluster->resources();
  EXPECT_EQ(table.size(), 11);
  EXPECT_EQ(table.classes().size(), 3U); // 16 cores, GPUs, 8 cores
  EXPECT_DOUBLE_EQ(cluster->betweenNodes.bytesPerSecond, 12.5e9);
  EXPECT_EQ(cluster->breakages.size(), 2U);
}

TEST_F(InputTest, WrongClustersAreToldByPlace) {
  const std::pair<const char *, const char *> cases[] = {
      {R"({"nodes": [{"cores": "8"}]})", "nodes[0].cores: a whole number from 0 to 4096 is wanted"},
      {R"({"nodes": [{"cores": 8}, {"core": 8}]})", "nodes[1].core: there is no such key; did you mean 'cores'?"},
      {R"({"nodes": []})", "nodes: a cluster has at least one node"},
      {R"({"nodes": [{"cores": 0}]})", "nodes: nothing there can run a task: no node has a core or a GPU"},
      {R"({"nodes": [{"cores": 1, "gpus": [{"memory": "80"}, {"memory": "many"}]}]})", "nodes[0].gpus[1].memory: "},
      {R"({"nodes": [{"cores": 1}], "links": {"between_nodes": {"bandwidth": "10"}}})",
       "links.between_nodes.bandwidth: a bandwidth like 10GB/s or 25GiB/s is wanted, not '10'"},
      {R"({"nodes": [{"cores": 1}], "failures": [{"at": 1, "node": 1}]})",
       "failures[0].node: the cluster has 1 nodes, from 0 on"},
      {R"({"nodes": [{"cores": 1}], "failures": [{"at": 1, "node": 0}]})", "failures[0].node: node 0 runs main"},
      {R"({"nodes": [{"cores": 1}], "failures": [{"at": 1, "node": 0, "gpu": 0}]})", "failures[0].gpu: node 0 has 0 GPUs"},
      {R"([])", "the document: an object { } is wanted"},
  };
  for (const auto &[text, expected] : cases) {
    const std::string seen = complaint(readCluster(file(text)));
    EXPECT_EQ(seen.substr(0, std::string(expected).size()), expected) << text;
  }
  EXPECT_NE(complaint(readCluster(file("{\"nodes\": [\n  {\"cores\": }\n]}"))).find("line 2"), std::string::npos);
  EXPECT_NE(complaint(readCluster("no/such/file.json")).find("cannot read"), std::string::npos);
}

TEST_F(InputTest, WrongGeneratorsAreTold) {
  EXPECT_EQ(complaint(generate("choleski:tiles=4")), "there is no generator 'choleski'; did you mean 'cholesky'?");
  EXPECT_EQ(complaint(generate("cholesky:tile=4")), "cholesky has no parameter 'tile'; did you mean 'tiles'?");
  EXPECT_EQ(complaint(generate("cholesky:tiles=0")), "tiles=0: a number from 1 to 2000 is wanted");
  EXPECT_EQ(complaint(generate("stencil:on=gpu")), "on=gpu: it is one of core, device, best");
  EXPECT_EQ(complaint(generate("map-reduce:maps=10,reduces=2")), "");
}

TEST_F(InputTest, GeneratedGraphsHaveTheTasksThatTheyShould) {
  EXPECT_EQ(generate("cholesky:tiles=40,home=1")->tasks.size(), 11480U); // n (n + 1) (n + 2) / 6
  EXPECT_EQ(generate("stencil:blocks=64,steps=200,home=1")->tasks.size(), 12800U);
  EXPECT_EQ(generate("fork-join:width=10,depth=3")->tasks.size(), 33U);
  EXPECT_EQ(generate("map-reduce")->tasks.size(), 4160U);
  EXPECT_EQ(generate("random:tasks=1234")->tasks.size(), 1234U);
}

TEST_F(InputTest, ARecordedGraph) {
  // Two halves are written, then all is read: the halves are two data, however the runs lie.
  const auto program =
      readRecorded(file(R"({"streamap_graph": 1, "functions": [{"name": "fill", "source": "a.c:1"}, {"name": "sum"}],
    "calls": [
      {"launch": 0, "tasks": [{"on": "C", "uses": [["out", 4096, 100]], "ran": ["core", 0.5]},
                              {"on": "C", "uses": [["out", 4196, 100]], "ran": ["core", 0.7]}]},
      {"before": 0.25, "launch": 1, "priority": 2, "tasks": [{"on": "best", "uses": [["in", 4096, 200], ["inout", 8192, 8]], "ran": ["core", 0.1]}]},
      {"wait": [[8192, 8]]},
      {"wait": "end"}]})"));
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->data, (std::vector<std::uint64_t>{100, 100, 8}));
  EXPECT_EQ(program->tasks.size(), 3U);
  EXPECT_EQ(program->usesOf(program->tasks[2]).size(), 3U);
  EXPECT_EQ(program->steps.size(), 4U);
  Cluster cluster = regularCluster(1, 2, 0, 1e10, 1, {1e9, 0});
  cluster.launchTime = 0;
  const auto outcome = simulate(cluster, *program, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_NEAR(outcome->makespan, 0.7 + 0.1, 1e-6); // as it was measured
}

TEST_F(InputTest, WrongRecordsAreToldByPlace) {
  const std::string head = R"({"streamap_graph": 1, "functions": [{"name": "f"}], "calls": [)";
  EXPECT_EQ(complaint(readRecorded(file(R"({"streamap_graph": 2})"))),
            "streamap_graph: this is not a recorded graph of version 1");
  EXPECT_EQ(complaint(readRecorded(file(head + R"({"launch": 1}]})"))), "calls[0].launch: a whole number from 0 to 0 is wanted");
  EXPECT_EQ(complaint(readRecorded(file(head + R"({"launch": 0, "tasks": [{"uses": [["in", 1]]}]}]})"))),
            R"(calls[0].tasks[0].uses[0]: ["in", "out" or "inout", address, bytes] is wanted)");
  EXPECT_EQ(complaint(readRecorded(file(head + R"({"wait": "some"}]})"))),
            R"(calls[0].wait: "all", "end" or a list of [address, bytes] is wanted)");
}

TEST_F(InputTest, Quantities) {
  EXPECT_DOUBLE_EQ(*parseSeconds("2us"), 2e-6);
  EXPECT_DOUBLE_EQ(*parseSeconds("1.5 ms"), 1.5e-3);
  EXPECT_DOUBLE_EQ(*parseSeconds("3"), 3);
  EXPECT_FALSE(parseSeconds("-1s"));
  EXPECT_FALSE(parseSeconds("1 hour"));
  EXPECT_DOUBLE_EQ(*parseBandwidth("10GB/s"), 1e10);
  EXPECT_FALSE(parseBandwidth("10GB"));
  EXPECT_FALSE(parseBandwidth("0GB/s"));
  EXPECT_EQ(describeSeconds(0.0123), "12.3 ms");
  EXPECT_EQ(describeSeconds(0), "0.00 s");
}

} // namespace
} // namespace streamap::simulate
