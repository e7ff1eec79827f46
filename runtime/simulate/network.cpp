// StreamMAP simulator: bytes on their way.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/network.h"

#include <algorithm>

namespace streamap::simulate {

Network::Network(const ResourceTable &resources, int ranks, Link betweenNodes)
    : table(resources), between(betweenNodes), nodeIn(static_cast<std::size_t>(ranks)), nodeOut(static_cast<std::size_t>(ranks)),
      devices(static_cast<std::size_t>(resources.size())) {
  for (int k = 0; k < resources.size(); ++k)
    devices[static_cast<std::size_t>(k)].link = resources[ProcessorId{k}].link;
}

void Network::pass(Port &port, const Link &link, std::uint64_t bytes, Way &way) {
  const Seconds busy = link.bytesPerSecond > 0 ? static_cast<double>(bytes) / link.bytesPerSecond : 0;
  const Seconds start = std::max(port.freeAt, way.first);
  port.freeAt = start + busy;
  way.first = start + link.latency;
  way.last = std::max(way.last, start + busy) + link.latency;
}

Seconds Network::move(std::uint64_t bytes, Place from, Place to, Seconds now) {
  Way way{now, now};
  if (from == to)
    return now;
  if (from.memory != hostMemory) {
    DevicePorts &device = devices[static_cast<std::size_t>(table.find(from).value)];
    pass(device.out, device.link, bytes, way);
    sentFromDevices += bytes;
  }
  if (from.rank != to.rank) {
    pass(nodeOut[static_cast<std::size_t>(from.rank.value)], {between.bytesPerSecond, 0}, bytes, way);
    pass(nodeIn[static_cast<std::size_t>(to.rank.value)], between, bytes, way);
    sentBetweenNodes += bytes;
  }
  if (to.memory != hostMemory) {
    DevicePorts &device = devices[static_cast<std::size_t>(table.find(to).value)];
    pass(device.in, device.link, bytes, way);
    sentToDevices += bytes;
  }
  return way.last;
}

} // namespace streamap::simulate
