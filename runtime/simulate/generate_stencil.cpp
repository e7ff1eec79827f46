// StreamMAP simulator: the graph of a stencil in blocks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <vector>

#include "simulate/generate.h"

namespace streamap::simulate {
namespace {

constexpr std::array<Parameter, 6> parameters{{
    {"blocks", 64, 1, 1e6, "blocks of the field"},
    {"steps", 200, 1, 1e6, "time steps"},
    {"cost", 1e9, 1, 1e18, "operations a block and step"},
    {"bytes", 8e6, 8, 1e12, "of a block"},
    {"halo", 8e3, 8, 1e12, "bytes of its edge that each neighbour reads"},
    {"home", 0, 0, 1, "1: the field begins at home and is waited for; 0: tasks fill it where they run"},
}};

/// Each block has its inside and two edges; a step reads the neighbours' edges of the step before, so there are two sets of
/// edges.
Program make(const Parameters &given) {
  Program program;
  const std::uint32_t blocks = given.whole("blocks"), steps = given.whole("steps");
  const bool atHome = given.real("home") > 0;
  const std::uint32_t fill = program.addFunction("fill"), sweep = program.addFunction("sweep");
  const DatumId insides = program.addData(blocks, given.bytes("bytes"));
  const DatumId edges = program.addData(4 * blocks, given.bytes("halo"));
  const auto inside = [&](std::uint32_t block) { return DatumId{insides.value + block}; };
  const auto edge = [&](std::uint32_t block, std::uint32_t side, std::uint32_t step) {
    return DatumId{edges.value + 4 * block + 2 * (step % 2) + side};
  };
  ProgramTask task;
  task.resource = given.resource;
  if (!atHome) {
    task.function = fill;
    task.cost = given.real("cost") / 10;
    for (std::uint32_t block = 0; block < blocks; ++block)
      program.launch(
          task,
          {{inside(block), AccessMode::Write}, {edge(block, 0, 1), AccessMode::Write}, {edge(block, 1, 1), AccessMode::Write}});
  }
  task.function = sweep;
  task.cost = given.real("cost");
  std::vector<Use> uses;
  for (std::uint32_t step = 0; step < steps; ++step)
    for (std::uint32_t block = 0; block < blocks; ++block) {
      uses = {{inside(block), AccessMode::ReadWrite},
              {edge(block, 0, step), AccessMode::Write},
              {edge(block, 1, step), AccessMode::Write}};
      if (block > 0)
        uses.push_back({edge(block - 1, 1, step + 1), AccessMode::Read});
      if (block + 1 < blocks)
        uses.push_back({edge(block + 1, 0, step + 1), AccessMode::Read});
      if (block == 0)
        program.launch(task, uses);
      else
        program.addTask(task, uses);
    }
  program.step(atHome ? Step::Kind::Wait : Step::Kind::Finish);
  return program;
}

} // namespace

const Generator stencil{"stencil", "a field in blocks along one direction, each step needs both neighbours' last", parameters,
                        make};

} // namespace streamap::simulate
