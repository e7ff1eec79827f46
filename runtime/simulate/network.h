// StreamMAP simulator: bytes on their way.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "assign/resources.h"

namespace streamap::simulate {

/// What a transfer passes through, one transfer at a time, in the order in which they come: a node's way out or in, or one
/// direction of a device's link. A transfer goes on to the next port while it still comes out of the last one, as pieces of a
/// message do.
class Network {
public:
  Network(const ResourceTable &table, int ranks, Link betweenNodes);

  /// Moves \p bytes from one memory to another, not before \p now. Returns when they are there.
  Seconds move(std::uint64_t bytes, Place from, Place to, Seconds now);
  /// A message without data.
  Seconds tell(Rank from, Rank to, Seconds now) const { return from == to ? now : now + between.latency; }

  std::uint64_t bytesBetweenNodes() const { return sentBetweenNodes; }
  std::uint64_t bytesToDevices() const { return sentToDevices; }
  std::uint64_t bytesFromDevices() const { return sentFromDevices; }

private:
  struct Port {
    Seconds freeAt = 0;
  };
  struct DevicePorts {
    Link link;
    Port in, out;
  };
  /// The way through one port: when the first byte has come in and the last one is out again.
  struct Way {
    Seconds first, last;
  };
  static void pass(Port &port, const Link &link, std::uint64_t bytes, Way &way);

  const ResourceTable &table;
  Link between;
  std::vector<Port> nodeIn, nodeOut;
  std::vector<DevicePorts> devices; ///< by ProcessorId; unused for cores
  std::uint64_t sentBetweenNodes = 0, sentToDevices = 0, sentFromDevices = 0;
};

} // namespace streamap::simulate
