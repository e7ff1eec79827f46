// StreamMAP simulator: what a program launches, without its data.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/program.h"

#include <cassert>
#include <utility>

namespace streamap::simulate {

std::uint32_t Program::addFunction(std::string functionName, double onDevice, double onCore) {
  functions.push_back({std::move(functionName), onDevice, onCore});
  return static_cast<std::uint32_t>(functions.size() - 1);
}

DatumId Program::addDatum(std::uint64_t bytes) {
  return addData(1, bytes);
}

DatumId Program::addData(std::uint32_t count, std::uint64_t bytes) {
  const DatumId first{static_cast<std::uint32_t>(data.size())};
  data.insert(data.end(), count, bytes);
  return first;
}

void Program::launch(ProgramTask task, std::initializer_list<Use> used) {
  launch(task, std::span(used.begin(), used.size()));
}

void Program::launch(ProgramTask task, std::span<const Use> used) {
  steps.push_back({Step::Kind::Launch, static_cast<std::uint32_t>(tasks.size()), 0});
  addTask(task, used);
}

void Program::addTask(ProgramTask task, std::span<const Use> used) {
  assert(!steps.empty() && steps.back().kind == Step::Kind::Launch);
  task.firstUse = static_cast<std::uint32_t>(uses.size());
  task.uses = static_cast<std::uint32_t>(used.size());
  uses.insert(uses.end(), used.begin(), used.end());
  tasks.push_back(task);
  ++steps.back().count;
}

Seconds runTime(const Program &program, const ProgramTask &task, const ProcessorFacts &where) {
  const bool onDevice = where.kind() == ProcessorKind::Device;
  if (task.function < program.measured.size()) {
    const auto &times = program.measured[task.function];
    if (const auto found = times.find(onDevice ? std::string_view(where.device->name) : std::string_view("core"));
        found != times.end())
      return found->second * task.stretch;
  }
  const Function &function = program.functions[task.function];
  const double speed = where.speed * (onDevice ? function.onDevice : function.onCore * task.cores);
  return task.cost / speed * task.stretch;
}

bool mayRunOn(const ProgramTask &task, const ProcessorFacts &where, bool anyDevice) {
  if (where.kind() == ProcessorKind::Device)
    return task.resource != Resource::Core && where.memory >= task.memory;
  return (task.resource != Resource::Device || !anyDevice) && task.cores <= where.lanes;
}

} // namespace streamap::simulate
