// StreamMAP simulator: the graph of a map and a reduction.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <vector>

#include "simulate/generate.h"

namespace streamap::simulate {
namespace {

constexpr std::array<Parameter, 5> parameters{{
    {"maps", 4096, 1, 1e7, "tasks that map"},
    {"reduces", 64, 1, 1e6, "tasks that reduce, each the output of as many maps"},
    {"cost", 1e9, 1, 1e18, "operations of a map"},
    {"reduce", 1e8, 1, 1e18, "operations of a reduce"},
    {"bytes", 1e5, 8, 1e12, "that a map hands on"},
}};

Program make(const Parameters &given) {
  Program program;
  const std::uint32_t maps = given.whole("maps"), reduces = given.whole("reduces");
  const std::uint32_t map = program.addFunction("map"), reduce = program.addFunction("reduce");
  const DatumId parts = program.addData(maps, given.bytes("bytes"));
  const DatumId results = program.addData(reduces, given.bytes("bytes"));
  ProgramTask task;
  task.resource = given.resource;
  task.function = map;
  task.cost = given.real("cost");
  for (std::uint32_t k = 0; k < maps; ++k) {
    const std::array<Use, 1> uses{{{DatumId{parts.value + k}, AccessMode::Write}}};
    if (k == 0)
      program.launch(task, uses);
    else
      program.addTask(task, uses);
  }
  task.function = reduce;
  task.cost = given.real("reduce");
  std::vector<Use> uses;
  for (std::uint32_t k = 0; k < reduces; ++k) {
    uses.assign({{DatumId{results.value + k}, AccessMode::Write}});
    const auto until = static_cast<std::uint32_t>(std::uint64_t{maps} * (k + 1) / reduces);
    for (auto part = static_cast<std::uint32_t>(std::uint64_t{maps} * k / reduces); part < until; ++part)
      uses.push_back({DatumId{parts.value + part}, AccessMode::Read});
    if (k == 0)
      program.launch(task, uses);
    else
      program.addTask(task, uses);
  }
  program.step(Step::Kind::Finish);
  return program;
}

} // namespace

const Generator mapReduce{"map-reduce", "independent maps, then reduces of their outputs", parameters, make};

} // namespace streamap::simulate
