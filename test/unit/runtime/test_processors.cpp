// StreamMAP tests: clusters in a few letters.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test_processors.h"

#include <cassert>
#include <sstream>
#include <utility>
#include <vector>

namespace streamap {
namespace {

ProcessorFacts deviceOf(const std::string &text, int rank, int number) {
  DeviceProperties device;
  device.vendor = "test";
  ProcessorFacts facts;
  switch (text[0]) {
  case 'K':
    device.name = "old";
    device.capability = {6, 0};
    device.memory = 4_GiB;
    facts.speed = 2;
    break;
  case 'G':
    device.name = "plain";
    device.capability = {8, 0};
    device.memory = 8_GiB;
    facts.speed = 10;
    break;
  default:
    assert(text[0] == 'F');
    device.name = "fast";
    device.capability = {9, 0};
    device.memory = 16_GiB;
    facts.speed = 20;
  }
  device.uuid = uuidFromText(std::to_string(rank) + "/" + std::to_string(number));
  facts.memory = device.memory;
  facts.link = {1e9, 0};
  if (const auto plus = text.find('+'); plus != std::string::npos)
    facts.labels.push_back(text.substr(plus + 1));
  facts.device = std::move(device);
  return facts;
}

} // namespace

ResourceTable processorsFrom(const std::string &text) {
  std::vector<ProcessorFacts> all;
  std::istringstream ranks(text);
  int rank = -1, node = -1;
  for (std::string list; ranks >> list;) {
    ++rank;
    if (list[0] == '&')
      list.erase(0, 1);
    else
      ++node;
    std::istringstream processors(list);
    std::uint16_t memory = 1;
    for (std::string one; std::getline(processors, one, ',');) {
      ProcessorFacts facts;
      if (one[0] == 'C') {
        facts.lanes = std::stoi(one.substr(1));
        facts.speed = 1;
        facts.place = {Rank{rank}, hostMemory};
      } else {
        facts = deviceOf(one, rank, memory);
        facts.place = {Rank{rank}, MemoryIndex{memory++}};
      }
      facts.node = NodeId{node};
      all.push_back(std::move(facts));
    }
  }
  Links links;
  links.withinNode = {1e9, 0};
  links.betweenNodes = {1e8, 0};
  return ResourceTable(std::move(all), std::move(links));
}

} // namespace streamap
