// StreamMAP simulator: the graph of repeated forks and joins.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <vector>

#include "simulate/generate.h"

namespace streamap::simulate {
namespace {

constexpr std::array<Parameter, 5> parameters{{
    {"width", 128, 1, 1e6, "tasks of a fork"},
    {"depth", 10, 1, 1e6, "forks, one behind the other"},
    {"cost", 1e9, 1, 1e18, "operations of a task"},
    {"join", 1e7, 1, 1e18, "operations of a join"},
    {"bytes", 1e6, 8, 1e12, "that each task hands to the join"},
}};

Program make(const Parameters &given) {
  Program program;
  const std::uint32_t width = given.whole("width"), depth = given.whole("depth");
  const std::uint32_t work = program.addFunction("work"), join = program.addFunction("join");
  const DatumId state = program.addDatum(64 << 10);
  const DatumId parts = program.addData(width, given.bytes("bytes"));
  ProgramTask task;
  task.resource = given.resource;
  for (std::uint32_t level = 0; level < depth; ++level) {
    task.function = work;
    task.cost = given.real("cost");
    std::vector<Use> all{{state, AccessMode::ReadWrite}};
    for (std::uint32_t k = 0; k < width; ++k) {
      const DatumId part{parts.value + k};
      const std::array<Use, 2> uses{{{state, AccessMode::Read}, {part, AccessMode::Write}}};
      if (k == 0)
        program.launch(task, uses);
      else
        program.addTask(task, uses);
      all.push_back({part, AccessMode::Read});
    }
    task.function = join;
    task.cost = given.real("join");
    program.launch(task, all);
  }
  program.step(Step::Kind::Finish);
  return program;
}

} // namespace

const Generator forkJoin{"fork-join", "forks of equal tasks, each followed by a task that needs all of them", parameters, make};

} // namespace streamap::simulate
