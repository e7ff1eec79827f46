// StreamMAP runtime: which process of an MPI program is which task, and which GPU it has.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a directive in front of main the processes are the tasks: the one that becomes rank i runs task i. Where a process is, the
// launcher has decided; which task it is, this does. Pure: every process comes to the same result from the same facts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "device/device_ids.h"

namespace streamap {

/// One entry of the list in front of main, its count evaluated.
struct ProgramItem {
  enum class Form : std::uint8_t {
    Count,   ///< `4:G`: the next `count` tasks
    All,     ///< `*:G`: as many as there are GPUs for; `*:C`: as many as processes remain
    Numbered ///< `[2-5]:G`: tasks 2 to 5
  };
  bool onGpu = false;
  Form form = Form::Count;
  std::int64_t count = 0;
  std::int64_t first = 0, last = 0; ///< of Numbered
};

/// A node with processes of the program on it.
struct ProgramNode {
  std::string name;
  std::vector<DeviceUuid> gpus; ///< that its processes may use, each once
};

/// Where the launcher has put a process. The place in the list is the rank that it gave.
struct ProgramProcess {
  NodeId node;
};

enum class ProgramSpread : std::uint8_t {
  Spread, ///< G tasks over all nodes, the one with most GPUs left first
  Pack    ///< on as few nodes as can hold them
};

struct ProgramSetup {
  ProgramSpread spread = ProgramSpread::Spread;
  int tasksPerGpu = 1; ///< that may have the same one
};

/// What one process becomes.
struct ProgramRole {
  Rank rank;          ///< its new one, which is its task's number
  bool onGpu = false; ///< what its task asked for
  DeviceUuid gpu;     ///< where onGpu
};

/// Gives every process a task and every G task a GPU of its process's node. G tasks of a node get its GPUs in turn; tasks of one
/// kind are in the order of nodes and launcher's ranks, so that neighbours stay near each other.
///
/// \p processes: by the launcher's rank; \p nodes: by NodeId. Result: by the launcher's rank.
/// Errors: the list does not name each task once; another number of processes; fewer GPUs than G tasks. They hold a table of what
/// was asked for and what there is.
Result<std::vector<ProgramRole>> mapProgram(std::span<const ProgramItem> list, std::span<const ProgramProcess> processes,
                                            std::span<const ProgramNode> nodes, const ProgramSetup &setup);

} // namespace streamap
