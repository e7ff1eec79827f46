// StreamMAP runtime: what a cluster has to run tasks on.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/resources.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace streamap {
namespace {

/// What makes processors alike. A device's own names (UUID, PCI address) are left out.
auto traits(const ProcessorFacts &facts) {
  static const DeviceProperties none;
  const DeviceProperties &device = facts.device ? *facts.device : none;
  return std::tuple(facts.kind(), facts.lanes, facts.memory, facts.speed, facts.link.bytesPerSecond, facts.link.latency,
                    device.backend, device.vendor, device.name, device.capability, device.memory, device.multiprocessors,
                    facts.labels);
}

} // namespace

ResourceTable::ResourceTable(std::vector<ProcessorFacts> facts, Links between)
    : processors(std::move(facts)), allLinks(std::move(between)) {
  std::map<decltype(traits(processors[0])), ClassId> known;
  for (std::size_t k = 0; k < processors.size(); ++k) {
    const ProcessorFacts &processor = processors[k];
    const ProcessorId id{static_cast<int>(k)};
    const auto [at, fresh] = known.try_emplace(traits(processor), ClassId{static_cast<int>(allClasses.size())});
    if (fresh)
      allClasses.push_back({processor.kind(), id, {}});
    allClasses[static_cast<std::size_t>(at->second.value)].members.push_back(id);
    classByProcessor.push_back(at->second);

    const auto rank = static_cast<std::size_t>(processor.place.rank.value);
    const std::size_t memory = processor.place.memory.value;
    if (rank >= byRank.size()) {
      byRank.resize(rank + 1);
      nodes.resize(rank + 1);
    }
    nodes[rank] = processor.node;
    if (memory >= byRank[rank].size())
      byRank[rank].resize(memory + 1, noProcessor);
    assert(byRank[rank][memory] == noProcessor && "one processor a memory");
    byRank[rank][memory] = id;
  }
}

ProcessorId ResourceTable::find(Place place) const {
  const std::vector<ProcessorId> &own = of(place.rank);
  return place.memory.value < own.size() ? own[place.memory.value] : noProcessor;
}

const std::vector<ProcessorId> &ResourceTable::of(Rank rank) const {
  static const std::vector<ProcessorId> none;
  const auto number = static_cast<std::size_t>(rank.value);
  return number < byRank.size() ? byRank[number] : none;
}

NodeId ResourceTable::nodeOf(Rank rank) const {
  assert(static_cast<std::size_t>(rank.value) < nodes.size());
  return nodes[static_cast<std::size_t>(rank.value)];
}

Seconds ResourceTable::transfer(std::uint64_t bytes, Place from, Place to) const {
  if (bytes == 0 || from == to)
    return 0;
  Seconds time = 0;
  for (const Place end : {from, to})
    if (end.memory != hostMemory)
      if (const ProcessorId device = find(end); device != noProcessor)
        time += (*this)[device].link.time(bytes);
  if (from.rank != to.rank)
    time += allLinks.between(from.rank, to.rank, nodeOf(from.rank) == nodeOf(to.rank)).time(bytes);
  return time;
}

std::string ResourceTable::describe(ProcessorId id) const {
  const ProcessorFacts &facts = (*this)[id];
  const std::string rank = "rank " + std::to_string(facts.place.rank.value);
  if (facts.kind() == ProcessorKind::Cores)
    return "the cores of " + rank;
  return facts.device->name + " (device " + std::to_string(facts.place.memory.value - 1) + " of " + rank + ")";
}

} // namespace streamap
