// StreamMAP runtime: which process of an MPI program is which task, and which GPU it has.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program/mapping.h"

#include <algorithm>
#include <optional>

namespace streamap {
namespace {

std::string counted(std::int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : what.back() == 's' ? "es" : "s");
}

std::string written(const ProgramItem &item) {
  const std::string kind = item.onGpu ? ":G" : ":C";
  switch (item.form) {
  case ProgramItem::Form::All:
    return "*" + kind;
  case ProgramItem::Form::Count:
    return std::to_string(item.count) + kind;
  case ProgramItem::Form::Numbered:
    break;
  }
  const std::string last = item.first == item.last ? "" : "-" + std::to_string(item.last);
  return "[" + std::to_string(item.first) + last + "]" + kind;
}

/// One program's mapping in the making.
class Mapper {
public:
  Mapper(std::span<const ProgramItem> list, std::span<const ProgramProcess> processes, std::span<const ProgramNode> nodes,
         const ProgramSetup &setup)
      : list(list), processes(processes), nodes(nodes), setup(setup), free(nodes.size()), granted(nodes.size()) {
    for (const ProgramProcess &process : processes)
      free[index(process.node)]++;
  }

  Result<std::vector<ProgramRole>> run() {
    if (auto named = nameTasks(); !named)
      return tl::unexpected(std::move(named.error()));
    const auto wanted = std::count(onGpu.begin(), onGpu.end(), true);
    if (wanted > room())
      return failure("main asks for " + counted(wanted, "G task") + ", and there are GPUs for " + std::to_string(room()) + "\n" +
                         table(),
                     tooFewHint());
    for (std::int64_t i = 0; i < wanted; i++) {
      const std::size_t node = nextNode();
      granted[node]++;
      free[node]--;
    }
    return roles();
  }

private:
  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node.value); }

  /// G tasks that the node could still take.
  std::int64_t left(std::size_t node) const {
    const auto places = static_cast<std::int64_t>(nodes[node].gpus.size()) * setup.tasksPerGpu - granted[node];
    return std::min(places, free[node]);
  }

  /// G tasks that all nodes together can take, at the beginning.
  std::int64_t room() const {
    std::int64_t sum = 0;
    for (std::size_t node = 0; node < nodes.size(); node++)
      sum += left(node);
    return sum;
  }

  /// Which tasks there are, and which of them are for GPUs: onGpu.
  Result<void> nameTasks() {
    const auto total = static_cast<std::int64_t>(processes.size());
    std::vector<std::optional<bool>> kinds;
    std::int64_t next = 0;
    const ProgramItem *rest = nullptr; // *:C
    for (const ProgramItem &item : list) {
      std::int64_t first = next, count = item.count;
      if (item.form == ProgramItem::Form::Numbered) {
        first = item.first;
        count = item.last - item.first + 1;
      } else if (item.form == ProgramItem::Form::All) {
        if (!item.onGpu && rest)
          return failure("'*:C' stands twice in front of main", "it means all processes that remain");
        if (!item.onGpu)
          rest = &item;
        count = item.onGpu ? std::min(room(), total) : total - othersThan(item);
      }
      if (count < 0 || first < 0 || first + count > total)
        return wrongNumber(first + std::max<std::int64_t>(count, 0));
      if (kinds.size() < static_cast<std::size_t>(first + count))
        kinds.resize(static_cast<std::size_t>(first + count));
      for (std::int64_t task = first; task < first + count; task++) {
        auto &kind = kinds[static_cast<std::size_t>(task)];
        if (kind)
          return failure("task " + std::to_string(task) + " stands twice in the list in front of main", "name each task once");
        kind = item.onGpu;
      }
      next = std::max(next, first + count);
    }
    if (list.empty())
      kinds.assign(processes.size(), false);
    for (std::size_t task = 0; task < kinds.size(); task++)
      if (!kinds[task])
        return failure("the list in front of main says nothing of task " + std::to_string(task), "name each task once");
    if (static_cast<std::int64_t>(kinds.size()) != total)
      return wrongNumber(static_cast<std::int64_t>(kinds.size()));
    for (const auto &kind : kinds)
      onGpu.push_back(*kind);
    return {};
  }

  /// Tasks of all other entries.
  std::int64_t othersThan(const ProgramItem &one) const {
    std::int64_t sum = 0;
    for (const ProgramItem &item : list) {
      if (&item == &one)
        continue;
      switch (item.form) {
      case ProgramItem::Form::Count:
        sum += item.count;
        break;
      case ProgramItem::Form::Numbered:
        sum += item.last - item.first + 1;
        break;
      case ProgramItem::Form::All:
        sum += std::min(room(), static_cast<std::int64_t>(processes.size()));
        break;
      }
    }
    return sum;
  }

  tl::unexpected<Error> wrongNumber(std::int64_t tasks) const {
    const auto there = static_cast<std::int64_t>(processes.size());
    return failure("main asks for " + counted(tasks, "task") + ", and there " + (there == 1 ? "is " : "are ") +
                       counted(there, "process") + "\n" + table(),
                   "start it with mpirun -np " + std::to_string(tasks) + ", or write *:C for as many as there are");
  }

  std::string tooFewHint() const {
    std::int64_t gpus = 0;
    for (const ProgramNode &node : nodes)
      gpus += static_cast<std::int64_t>(node.gpus.size());
    if (gpus == 0)
      return "none of these processes sees a GPU";
    if (room() < gpus * setup.tasksPerGpu)
      return "a process can only have a GPU of its own node: start more processes on the nodes with GPUs (mpirun --map-by)";
    return "share(50) in the directive lets two tasks have one GPU; *:G asks for as many as there are";
  }

  /// Asked for, and there.
  std::string table() const {
    std::string asked;
    for (const ProgramItem &item : list)
      asked += (asked.empty() ? "" : ", ") + written(item);
    std::string text = "  asked for: " + (asked.empty() ? "nothing" : asked) + "\n  there is:";
    std::vector<std::int64_t> on(nodes.size());
    for (const ProgramProcess &process : processes)
      on[index(process.node)]++;
    for (std::size_t node = 0; node < nodes.size(); node++)
      text += (node == 0 ? "  " : "\n             ") + nodes[node].name + ": " + counted(on[node], "process") + ", " +
              counted(static_cast<std::int64_t>(nodes[node].gpus.size()), "GPU");
    return text;
  }

  /// Where the next G task goes. There is room.
  std::size_t nextNode() const {
    std::size_t best = nodes.size();
    for (std::size_t node = 0; node < nodes.size(); node++) {
      if (left(node) <= 0)
        continue;
      if (best == nodes.size() || better(node, best))
        best = node;
    }
    return best;
  }

  /// \p one before \p other, which stands in front of it.
  bool better(std::size_t one, std::size_t other) const {
    if (setup.spread == ProgramSpread::Spread)
      return left(one) > left(other);
    // A node that has some already, then the one that holds most.
    if ((granted[one] > 0) != (granted[other] > 0))
      return granted[one] > 0;
    return left(one) > left(other);
  }

  /// The processes by node and launcher's rank; of each node, the first ones have its GPUs.
  std::vector<ProgramRole> roles() const {
    std::vector<Rank> gpuTasks, coreTasks;
    for (std::size_t task = 0; task < onGpu.size(); task++)
      (onGpu[task] ? gpuTasks : coreTasks).push_back(Rank{static_cast<int>(task)});
    std::vector<ProgramRole> result(processes.size());
    std::size_t nextGpu = 0, nextCore = 0;
    for (std::size_t node = 0; node < nodes.size(); node++) {
      std::int64_t given = 0;
      for (std::size_t process = 0; process < processes.size(); process++) {
        if (index(processes[process].node) != node)
          continue;
        ProgramRole &role = result[process];
        role.onGpu = given < granted[node];
        role.rank = role.onGpu ? gpuTasks[nextGpu++] : coreTasks[nextCore++];
        if (role.onGpu)
          role.gpu = nodes[node].gpus[static_cast<std::size_t>(given++) % nodes[node].gpus.size()];
      }
    }
    return result;
  }

  std::span<const ProgramItem> list;
  std::span<const ProgramProcess> processes;
  std::span<const ProgramNode> nodes;
  const ProgramSetup &setup;
  std::vector<std::int64_t> free;    ///< processes of a node that have no task yet
  std::vector<std::int64_t> granted; ///< G tasks of a node
  std::vector<bool> onGpu;           ///< by task
};

} // namespace

Result<std::vector<ProgramRole>> mapProgram(std::span<const ProgramItem> list, std::span<const ProgramProcess> processes,
                                            std::span<const ProgramNode> nodes, const ProgramSetup &setup) {
  return Mapper(list, processes, nodes, setup).run();
}

} // namespace streamap
