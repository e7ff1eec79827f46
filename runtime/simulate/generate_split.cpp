// StreamMAP simulator: loops that the assignment cuts.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include "simulate/generate.h"

namespace streamap::simulate {
namespace {

constexpr std::array<Parameter, 8> parameters{{
    {"blocks", 1000, 1, 1e6, "pieces that the index range may be cut into"},
    {"devices", 2, 0, 1e5, "G tasks of a launch"},
    {"cores", 6, 0, 1e5, "C tasks of a launch"},
    {"launches", 10, 1, 1e6, "launches, each of the whole range"},
    {"cost", 1e8, 1, 1e18, "operations of a piece"},
    {"bytes", 1e4, 8, 1e12, "of a piece"},
    {"wait", 0, 0, 1, "1: main waits behind each launch"},
    {"weighted", 1, 0, 1, "1: parts are as long as their processors are fast; 0: all alike"},
}};

Program make(const Parameters &given) {
  Program program;
  const std::uint32_t blocks = given.whole("blocks");
  const std::uint32_t loop = program.addFunction("loop");
  const DatumId first = program.addData(blocks, given.bytes("bytes"));
  for (std::uint32_t k = 0; k < blocks; ++k) {
    ProgramTask block;
    block.function = loop;
    block.cost = given.real("cost");
    block.firstUse = static_cast<std::uint32_t>(program.uses.size());
    block.uses = 1;
    program.uses.push_back({DatumId{first.value + k}, AccessMode::ReadWrite});
    program.blocks.push_back(block);
  }
  SplitLaunch split;
  split.blocks = blocks;
  split.weighted = given.real("weighted") > 0;
  split.parts.assign(given.whole("devices"), Resource::Device);
  split.parts.insert(split.parts.end(), given.whole("cores"), Resource::Core);
  if (split.parts.empty())
    split.parts.push_back(Resource::Best);
  program.splits.push_back(split);
  for (std::uint32_t k = 0; k < given.whole("launches"); ++k) {
    program.step(Step::Kind::Split);
    if (given.real("wait") > 0)
      program.step(Step::Kind::Finish);
  }
  program.step(Step::Kind::Finish);
  return program;
}

} // namespace

const Generator splitLoop{"split", "split(i) over one array, launched again and again", parameters, make};

} // namespace streamap::simulate
