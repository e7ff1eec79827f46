// StreamMAP simulator: what a program launches, without its data.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "assign/resources.h"
#include "graph/accesses.h"

namespace streamap::simulate {

/// Bytes that tasks always use together, numbered from 0.
using DatumId = StrongId<struct DatumTag, std::uint32_t>;
/// A task, numbered from 0 in the order of the program.
using TaskId = StrongId<struct SimulatedTaskTag, std::uint32_t>;

/// What a task does to a datum.
struct Use {
  DatumId datum;
  AccessMode mode = AccessMode::Read;
};

enum class Resource : std::uint8_t {
  Core,   ///< a C task
  Device, ///< a G task; where there are no GPUs it runs its C version
  Best    ///< of a launch with an empty resource list
};

/// A task function.
struct Function {
  std::string name;
  /// How much of its speed a GPU reaches with it, and a core.
  double onDevice = 1, onCore = 1;
};

/// One task of a program.
struct ProgramTask {
  std::uint32_t function = 0; ///< in Program::functions
  std::uint32_t firstUse = 0, uses = 0;
  Resource resource = Resource::Best;
  std::uint8_t share = 100; ///< percent of a device
  std::uint16_t cores = 1;
  std::int32_t priority = 0;
  float stretch = 1; ///< it takes that many times as long as tasks like it do
  double cost = 0;   ///< operations
  Bytes memory;      ///< on a device, beside what it uses
};

/// A launch that is cut where the assignment says: into as many tasks as `parts` has, each of consecutive blocks.
struct SplitLaunch {
  std::uint32_t firstBlock = 0, blocks = 0; ///< in Program::blocks: one task a block, of which a part is made
  std::vector<Resource> parts;
  bool weighted = true; ///< by the measured speeds of where the parts would go; otherwise all parts are alike
};

/// What main does next.
struct Step {
  enum class Kind : std::uint8_t {
    Launch, ///< tasks [first, first + count)
    Split,  ///< Program::splits[first]
    WaitOn, ///< data Program::waitedFor[first, first + count): written and at home
    Wait,   ///< all tasks are done and all data at home
    Finish  ///< all tasks are done
  };
  Kind kind = Kind::Launch;
  std::uint32_t first = 0, count = 0;
  Seconds before = 0; ///< that main spends on its own before this
};

/// A whole program. Data begins at home, on node 0.
struct Program {
  std::string name; ///< for tables
  std::vector<Function> functions;
  std::vector<std::uint64_t> data; ///< bytes, by DatumId
  std::vector<Use> uses;
  std::vector<ProgramTask> tasks;
  std::vector<ProgramTask> blocks;
  std::vector<SplitLaunch> splits;
  std::vector<DatumId> waitedFor;
  std::vector<Step> steps;
  /// Measured times of functions on processors by name (a GPU's name, or "core"): what a task takes that is stretched by 1.
  /// They win over cost and speed. By function.
  std::vector<std::map<std::string, Seconds, std::less<>>> measured;

  std::span<const Use> usesOf(const ProgramTask &task) const { return std::span(uses).subspan(task.firstUse, task.uses); }
  std::uint64_t bytesOf(DatumId datum) const { return data[datum.value]; }

  // For building.
  std::uint32_t addFunction(std::string functionName, double onDevice = 1, double onCore = 1);
  DatumId addDatum(std::uint64_t bytes);
  /// The first of \p count data.
  DatumId addData(std::uint32_t count, std::uint64_t bytes);
  /// A launch of a single task.
  void launch(ProgramTask task, std::initializer_list<Use> used);
  void launch(ProgramTask task, std::span<const Use> used);
  /// One task more for the last launch.
  void addTask(ProgramTask task, std::span<const Use> used);
  void step(Step::Kind kind) { steps.push_back({kind}); }
};

/// How long the task runs on that processor, without bringing its data. \p core, \p device: what of it. Pure.
Seconds runTime(const Program &program, const ProgramTask &task, const ProcessorFacts &where);

/// Whether the task may run on such a processor. \p anyDevice: whether the cluster has GPUs at all.
bool mayRunOn(const ProgramTask &task, const ProcessorFacts &where, bool anyDevice);

} // namespace streamap::simulate
