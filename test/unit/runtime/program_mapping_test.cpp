// Which process is which task, and which GPU it has: a table.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "program/mapping.h"

namespace streamap {
namespace {

/// A row in short. The list as in the directive. `nodes`: GPUs of each. `placed`: the node of each process, as the launcher has
/// ranked them. `expect`: by the launcher's rank "new rank" or "new rank@GPU", the GPUs of node n named n.0, n.1, ...; or, with
/// '!' in front, a part of the message.
struct Row {
  const char *what;
  const char *list;
  std::vector<int> nodes;
  std::vector<int> placed;
  const char *expect;
  ProgramSpread spread = ProgramSpread::Spread;
  int tasksPerGpu = 1;
};

void PrintTo(const Row &row, std::ostream *out) {
  *out << row.what;
}

const Row rows[] = {
    {"cores only", "3:C", {0}, {0, 0, 0}, "0 1 2"},
    {"an empty list means whatever there is", "", {2}, {0, 0}, "0 1"},
    {"all processes", "*:C", {0, 0}, {0, 1, 0, 1}, "0 2 1 3"},
    {"one GPU", "1:G", {1}, {0}, "0@0.0"},
    {"the first process of the node has the GPU", "1:G,2:C", {1}, {0, 0, 0}, "0@0.0 1 2"},
    {"the GPU's node comes first, wherever the launcher has put it", "1:G,2:C", {0, 1}, {0, 0, 1}, "1 2 0@1.0"},
    {"cores in front of GPUs in the list", "2:C,1:G", {1}, {0, 0, 0}, "2@0.0 0 1"},
    {"two nodes, 1 and 3 GPUs, by node", "4:G,4:C", {1, 3}, {0, 1, 0, 1, 0, 1, 0, 1}, "0@0.0 1@1.0 4 2@1.1 5 3@1.2 6 7"},
    {"two nodes, 1 and 3 GPUs, by slot", "4:G,4:C", {1, 3}, {0, 0, 0, 0, 1, 1, 1, 1}, "0@0.0 4 5 6 1@1.0 2@1.1 3@1.2 7"},
    {"three GPUs, two of them: spread", "2:G,4:C", {2, 2}, {0, 0, 0, 1, 1, 1}, "0@0.0 2 3 1@1.0 4 5"},
    {"the same, packed", "2:G,4:C", {2, 2}, {0, 0, 0, 1, 1, 1}, "0@0.0 1@0.1 2 3 4 5", ProgramSpread::Pack},
    {"packed on the node that holds them all",
     "3:G,3:C",
     {1, 3},
     {0, 0, 0, 1, 1, 1},
     "3 4 5 0@1.0 1@1.1 2@1.2",
     ProgramSpread::Pack},
    {"spread: a node for each", "2:G,2:C", {1, 3}, {0, 0, 1, 1}, "0@0.0 2 1@1.0 3"},
    {"spread: the node with most GPUs left first", "2:G,3:C", {1, 3}, {0, 0, 1, 1, 1}, "2 3 0@1.0 1@1.1 4"},
    {"spread: one more where more are left", "3:G,2:C", {1, 3}, {0, 0, 1, 1, 1}, "0@0.0 3 1@1.0 2@1.1 4"},
    {"as many as there are GPUs", "*:G,*:C", {1, 2}, {0, 0, 1, 1, 1}, "0@0.0 3 1@1.0 2@1.1 4"},
    {"as many as there are GPUs: none", "*:G,*:C", {0}, {0, 0}, "0 1"},
    {"as many as there are GPUs for: fewer processes there", "*:G,*:C", {4, 0}, {0, 1, 1}, "0@0.0 1 2"},
    {"by number", "[1]:G,[0]:C,[2-3]:C", {1}, {0, 0, 0, 0}, "1@0.0 0 2 3"},
    {"by number, a range of GPUs", "[2-3]:G,[0-1]:C", {1, 1}, {0, 0, 1, 1}, "2@0.0 0 3@1.0 1"},
    {"two tasks a GPU", "4:G", {2}, {0, 0, 0, 0}, "0@0.0 1@0.1 2@0.0 3@0.1", ProgramSpread::Spread, 2},
    {"two tasks a GPU, where one is enough", "2:G,2:C", {2}, {0, 0, 0, 0}, "0@0.0 1@0.1 2 3", ProgramSpread::Spread, 2},
    {"three nodes in turn", "3:G,3:C", {1, 1, 1}, {0, 1, 2, 0, 1, 2}, "0@0.0 1@1.0 2@2.0 3 4 5"},
    {"no process on the node with the GPUs", "1:G,1:C", {0, 4}, {0, 0}, "!there are GPUs for 0"},
    {"too few GPUs", "3:G", {2}, {0, 0, 0}, "!main asks for 3 G tasks, and there are GPUs for 2"},
    {"too few processes", "4:C", {0}, {0, 0}, "!main asks for 4 tasks, and there are 2 processes"},
    {"too many processes", "2:C", {0}, {0, 0, 0}, "!start it with mpirun -np 2"},
    {"too few processes for the GPUs and the rest", "2:G,*:C", {2}, {0}, "!main asks for 2 tasks"},
    {"twice", "2:C,[1]:G", {1}, {0, 0}, "!task 1 stands twice"},
    {"a gap", "[1]:C", {0}, {0, 0}, "!says nothing of task 0"},
    {"the rest twice", "*:C,*:C", {0}, {0, 0}, "!'*:C' stands twice"},
    {"a process on a node with GPUs is missing", "2:G,1:C", {2, 0}, {0, 1, 1}, "!more processes on the nodes with GPUs"},
};

std::vector<ProgramItem> parse(const std::string &text) {
  std::vector<ProgramItem> list;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, ',');) {
    ProgramItem item;
    item.onGpu = one.back() == 'G';
    one.resize(one.size() - 2);
    if (one == "*") {
      item.form = ProgramItem::Form::All;
    } else if (one.front() == '[') {
      item.form = ProgramItem::Form::Numbered;
      item.first = std::stoi(one.substr(1));
      const auto dash = one.find('-');
      item.last = dash == std::string::npos ? item.first : std::stoi(one.substr(dash + 1));
    } else {
      item.count = std::stoi(one);
    }
    list.push_back(item);
  }
  return list;
}

std::string gpuName(int node, int gpu) {
  return std::to_string(node) + "." + std::to_string(gpu);
}

std::vector<ProgramNode> nodesOf(const Row &row) {
  std::vector<ProgramNode> nodes;
  for (int node = 0; node < static_cast<int>(row.nodes.size()); ++node) {
    ProgramNode made{"node" + std::to_string(node), {}};
    for (int gpu = 0; gpu < row.nodes[static_cast<std::size_t>(node)]; ++gpu)
      made.gpus.push_back(uuidFromText(gpuName(node, gpu)));
    nodes.push_back(made);
  }
  return nodes;
}

Result<std::vector<ProgramRole>> map(const Row &row) {
  std::vector<ProgramProcess> processes;
  for (const int node : row.placed)
    processes.push_back({NodeId{node}});
  return mapProgram(parse(row.list), processes, nodesOf(row), {row.spread, row.tasksPerGpu});
}

std::string written(const std::vector<ProgramRole> &roles, const Row &row) {
  std::string text;
  for (const ProgramRole &role : roles) {
    text += (text.empty() ? "" : " ") + std::to_string(role.rank.value);
    for (int node = 0; role.onGpu && node < static_cast<int>(row.nodes.size()); ++node)
      for (int gpu = 0; gpu < row.nodes[static_cast<std::size_t>(node)]; ++gpu)
        if (uuidFromText(gpuName(node, gpu)) == role.gpu)
          text += "@" + gpuName(node, gpu);
  }
  return text;
}

class ProgramMapping : public testing::TestWithParam<Row> {};

TEST_P(ProgramMapping, IsThatOfTheTable) {
  const Row &row = GetParam();
  const auto roles = map(row);
  const std::string expected = row.expect;
  if (expected.starts_with('!')) {
    ASSERT_FALSE(roles.has_value()) << written(*roles, row);
    const std::string told = roles.error().message + "\n" + roles.error().hint;
    EXPECT_NE(told.find(expected.substr(1)), std::string::npos) << told;
    return;
  }
  ASSERT_TRUE(roles.has_value()) << roles.error().message;
  EXPECT_EQ(written(*roles, row), expected);
}

/// Whatever the table forgets.
TEST_P(ProgramMapping, GivesEachTaskOnceAndGpusOfTheProcessesOwnNode) {
  const Row &row = GetParam();
  const auto roles = map(row);
  if (!roles)
    return;
  std::set<Rank> ranks;
  std::multiset<DeviceUuid> used;
  const auto nodes = nodesOf(row);
  for (std::size_t process = 0; process < roles->size(); ++process) {
    const ProgramRole &role = (*roles)[process];
    EXPECT_TRUE(ranks.insert(role.rank).second) << role.rank.value;
    if (!role.onGpu)
      continue;
    used.insert(role.gpu);
    const auto &own = nodes[static_cast<std::size_t>(row.placed[process])].gpus;
    EXPECT_NE(std::find(own.begin(), own.end(), role.gpu), own.end());
    EXPECT_LE(used.count(role.gpu), static_cast<std::size_t>(row.tasksPerGpu));
  }
  EXPECT_EQ(ranks.size(), row.placed.size());
  EXPECT_EQ(ranks.begin()->value, 0);
  EXPECT_EQ(ranks.rbegin()->value, static_cast<int>(row.placed.size()) - 1);
}

INSTANTIATE_TEST_SUITE_P(Rows, ProgramMapping, testing::ValuesIn(rows));

} // namespace
} // namespace streamap
