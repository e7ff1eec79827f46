// StreamMAP runtime: what a cluster has to run tasks on.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "device/properties.h"

namespace streamap {

/// A length of time, or a moment since one that the driver of the state machine chose. Seconds.
using Seconds = double;

/// Something that runs tasks: the cores of one rank together, or one device. Numbered from 0 in the order of the facts.
using ProcessorId = StrongId<struct ProcessorTag, int>;
inline constexpr ProcessorId noProcessor{-1};

/// Processors that cannot be told apart but by where they are: what holds for one holds for all, so much is decided once for all.
using ClassId = StrongId<struct ProcessorClassTag, int>;

enum class ProcessorKind : std::uint8_t { Cores, Device };

/// How fast bytes get from one place to another.
struct Link {
  double bytesPerSecond = 0; ///< 0: not a limit
  Seconds latency = 0;

  Seconds time(std::uint64_t bytes) const {
    if (bytes == 0)
      return 0;
    return latency + (bytesPerSecond > 0 ? static_cast<double>(bytes) / bytesPerSecond : 0);
  }
};

/// What is known of a processor. Nothing in it changes.
struct ProcessorFacts {
  Place place; ///< the memory that it works on: hostMemory for the cores of a rank, one of the others for a device
  NodeId node;
  /// Cores: how many there are (0: none may be used). Device: how many tasks it works on at a time.
  int lanes = 1;
  Bytes memory;     ///< Device: what its tasks may use of its memory
  double speed = 0; ///< what cost(e) counts, per second and lane; 0: not known. A first guess, until tasks have been measured
  Link link;        ///< Device: between its memory and the rank's
  std::optional<DeviceProperties> device; ///< Device: always
  std::vector<std::string> labels;        ///< for require(label(...))

  ProcessorKind kind() const { return device ? ProcessorKind::Device : ProcessorKind::Cores; }
};

/// Links between ranks.
class Links {
public:
  Link withinNode{8e9, 2e-6}; ///< between ranks of one node, where nothing was measured
  Link betweenNodes{1e9, 2e-5};

  /// A measured link, the same in both directions.
  void set(Rank a, Rank b, Link link) { measured[key(a, b)] = link; }
  /// Between two different ranks.
  const Link &between(Rank a, Rank b, bool oneNode) const {
    if (!measured.empty())
      if (const auto found = measured.find(key(a, b)); found != measured.end())
        return found->second;
    return oneNode ? withinNode : betweenNodes;
  }

private:
  static std::pair<Rank, Rank> key(Rank a, Rank b) { return a < b ? std::pair(a, b) : std::pair(b, a); }
  std::map<std::pair<Rank, Rank>, Link> measured;
};

/// All processors, in classes. Immutable, so any thread may read it.
class ResourceTable {
public:
  struct Class {
    ProcessorKind kind;
    ProcessorId example;
    std::vector<ProcessorId> members; ///< ascending
  };

  ResourceTable() = default;
  ResourceTable(std::vector<ProcessorFacts> facts, Links between);

  int size() const { return static_cast<int>(processors.size()); }
  const ProcessorFacts &operator[](ProcessorId id) const { return processors[static_cast<std::size_t>(id.value)]; }
  ClassId classOf(ProcessorId id) const { return classByProcessor[static_cast<std::size_t>(id.value)]; }
  const std::vector<Class> &classes() const { return allClasses; }
  const Class &operator[](ClassId id) const { return allClasses[static_cast<std::size_t>(id.value)]; }
  /// The processor that works on that memory, or noProcessor.
  ProcessorId find(Place place) const;
  /// The processors of a rank by memory; noProcessor where it has none.
  const std::vector<ProcessorId> &of(Rank rank) const;
  NodeId nodeOf(Rank rank) const;
  const Links &links() const { return allLinks; }

  /// How long \p bytes take from one memory to another. 0 for the same.
  Seconds transfer(std::uint64_t bytes, Place from, Place to) const;

  /// `the cores of rank 2`, `NVIDIA H200 (device 0 of rank 1)`.
  std::string describe(ProcessorId id) const;

private:
  std::vector<ProcessorFacts> processors;
  std::vector<ClassId> classByProcessor;
  std::vector<Class> allClasses;
  std::vector<std::vector<ProcessorId>> byRank; ///< [rank][memory]; noProcessor where there is none
  std::vector<NodeId> nodes;                    ///< by rank
  Links allLinks;
};

} // namespace streamap
