// StreamMAP runtime: how the ranks of a machine share its GPUs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/device_share.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace streamap {
namespace {

struct SharedDevice {
  const DeviceProperties *properties = nullptr;
  std::vector<std::size_t> seenBy; ///< ranks, ascending
  std::vector<std::size_t> givenTo;
};

/// The usable devices of one node, those that few ranks see first.
std::vector<SharedDevice> devicesOf(std::span<const std::vector<DeviceProperties>> seen, const std::vector<std::size_t> &ranks,
                                    std::vector<std::string> &notices) {
  std::map<DeviceUuid, SharedDevice> byUuid;
  for (const std::size_t rank : ranks)
    for (const DeviceProperties &device : seen[rank]) {
      SharedDevice &shared = byUuid[device.uuid];
      shared.properties = &device;
      if (shared.seenBy.empty() || shared.seenBy.back() != rank)
        shared.seenBy.push_back(rank);
    }
  std::vector<SharedDevice> devices;
  for (auto &[uuid, shared] : byUuid)
    if (shared.properties->mode == ComputeMode::Prohibited)
      notices.push_back(shared.properties->name + " (" + describe(uuid) + ") is not used: its compute mode allows no processes");
    else
      devices.push_back(std::move(shared));
  const auto rank = [](const SharedDevice &d) { return std::tuple(d.seenBy.size(), d.properties->pciBusId, d.properties->uuid); };
  std::sort(devices.begin(), devices.end(), [&](const SharedDevice &a, const SharedDevice &b) { return rank(a) < rank(b); });
  return devices;
}

void shareNode(std::span<const std::vector<DeviceProperties>> seen, const std::vector<std::size_t> &ranks, DeviceShares &shares) {
  std::vector<SharedDevice> devices = devicesOf(seen, ranks, shares.notices);
  std::map<std::size_t, std::size_t> count;
  for (SharedDevice &device : devices) {
    const std::size_t rank = *std::min_element(device.seenBy.begin(), device.seenBy.end(),
                                               [&](std::size_t a, std::size_t b) { return count[a] < count[b]; });
    device.givenTo.push_back(rank);
    ++count[rank];
  }
  for (const std::size_t rank : ranks) {
    if (count[rank] > 0)
      continue;
    SharedDevice *best = nullptr;
    for (SharedDevice &device : devices)
      if (device.properties->mode != ComputeMode::Exclusive &&
          std::find(device.seenBy.begin(), device.seenBy.end(), rank) != device.seenBy.end() &&
          (!best || device.givenTo.size() < best->givenTo.size()))
        best = &device;
    if (best)
      best->givenTo.push_back(rank);
  }
  for (const std::size_t rank : ranks) // in the rank's own order
    for (const DeviceProperties &own : seen[rank])
      for (const SharedDevice &device : devices)
        if (auto &granted = shares.byRank[rank];
            device.properties->uuid == own.uuid &&
            std::find(device.givenTo.begin(), device.givenTo.end(), rank) != device.givenTo.end() &&
            std::none_of(granted.begin(), granted.end(), [&](const GrantedDevice &g) { return g.uuid == own.uuid; }))
          granted.push_back({own.uuid, static_cast<int>(device.givenTo.size())});
}

} // namespace

DeviceShares shareDevices(std::span<const std::vector<DeviceProperties>> seen, std::span<const NodeId> nodes) {
  DeviceShares shares;
  shares.byRank.resize(seen.size());
  std::map<NodeId, std::vector<std::size_t>> ranksOf;
  for (std::size_t rank = 0; rank < seen.size(); ++rank)
    ranksOf[nodes[rank]].push_back(rank);
  for (const auto &[node, ranks] : ranksOf)
    shareNode(seen, ranks, shares);
  return shares;
}

Bytes deviceBudget(const DeviceProperties &device, int ranks) {
  if (device.backend == "emulated" || device.backend == "host") // no contexts, no libraries
    return Bytes{device.memory.value / static_cast<std::uint64_t>(ranks)};
  // A context takes 300 to 600 MiB, and libraries (cuBLAS) want workspaces; small devices cannot spare as much.
  const Bytes aside = std::min(1_GiB, Bytes{device.memory.value / 8}) * static_cast<std::uint64_t>(ranks);
  return aside < device.memory ? Bytes{(device.memory - aside).value / static_cast<std::uint64_t>(ranks)} : Bytes{};
}

} // namespace streamap
