// StreamMAP runtime: what the cluster is made of, as its ranks see it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/inventory.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace streamap {
namespace {

using Json = nlohmann::ordered_json;

/// Null for "not known".
template <class T, class Show> Json orNull(const std::optional<T> &value, Show show) {
  return value ? Json(show(*value)) : Json(nullptr);
}

Json uuidList(const std::vector<DeviceUuid> &uuids) {
  Json list = Json::array();
  for (const DeviceUuid &uuid : uuids)
    list.push_back(describe(uuid));
  return list;
}

std::string_view modeName(ComputeMode mode) {
  return mode == ComputeMode::Prohibited ? "prohibited" : mode == ComputeMode::Exclusive ? "exclusive" : "default";
}

Json deviceJson(const DeviceProperties &device, const DeviceUse &use) {
  const auto number = [](auto id) { return id.value; };
  const auto bytes = [](Bytes amount) { return amount.value; };
  return {{"uuid", describe(device.uuid)},
          {"name", device.name},
          {"vendor", device.vendor},
          {"backend", device.backend},
          {"compute_capability", std::to_string(device.capability.major) + "." + std::to_string(device.capability.minor)},
          {"multiprocessors", device.multiprocessors},
          {"tensor_cores", device.tensorCores},
          {"memory_bytes", device.memory.value},
          {"used_bytes", orNull(use.used, bytes)},
          {"busy_percent", orNull(use.busyPercent, [](int percent) { return percent; })},
          {"other_processes", use.others},
          {"lost", use.lost},
          {"mode", modeName(device.mode)},
          {"mig", device.uuid.kind == DeviceUuid::Kind::Mig},
          {"mig_parent", orNull(device.migParent, [](const DeviceUuid &uuid) { return describe(uuid); })},
          {"pci", device.pciBusId},
          {"numa", device.numaNode},
          {"cuda_ordinal", orNull(device.ordinal, number)},
          {"nvml_index", orNull(device.nvml, number)},
          {"peers", uuidList(device.peers)}};
}

Json rankJson(const Inventory &inventory, std::size_t rank) {
  const RankFacts &facts = inventory.ranks[rank];
  const DeviceSight &sight = facts.sight;
  Json devices = Json::array(), hidden = Json::array(), granted = Json::array();
  for (std::size_t k = 0; k < sight.devices.size(); ++k)
    devices.push_back(deviceJson(sight.devices[k], k < sight.uses.size() ? sight.uses[k] : DeviceUse{}));
  for (const HiddenDevice &device : sight.hidden)
    hidden.push_back({{"uuid", describe(device.uuid)}, {"name", device.name}, {"why", device.why}});
  for (const GrantedDevice &grant : inventory.shared.byRank[rank])
    granted.push_back({{"uuid", describe(grant.uuid)}, {"ranks", grant.ranks}});
  return {{"rank", rank},
          {"node", inventory.shares[rank].node.value},
          {"pid", facts.machine.pid},
          {"launcher", facts.launcher.empty() ? Json(nullptr) : Json(facts.launcher)},
          {"cores", facts.machine.cores},
          {"core_numa", facts.machine.numa},
          {"core_share", inventory.shares[rank].cores},
          {"slots", inventory.slots[rank]},
          {"control_group", {{"cores", facts.machine.quota}, {"memory_bytes", facts.machine.memoryLimit.value}}},
          {"mpi",
           {{"library", facts.mpi.library},
            {"ranks", facts.mpi.size},
            {"threads", describe(facts.mpi.threads)},
            {"gpu_aware", describe(facts.mpi.gpuAware)}}},
          {"drivers", sight.drivers},
          {"no_devices", sight.reason},
          {"devices", devices},
          {"uses", granted},
          {"hidden", hidden},
          {"notices", sight.notices}};
}

/// Of the first rank on each node.
Json nodesJson(const Inventory &inventory) {
  Json nodes = Json::array();
  std::set<NodeId> told;
  for (std::size_t rank = 0; rank < inventory.ranks.size(); ++rank) {
    const Machine &machine = inventory.ranks[rank].machine;
    if (!told.insert(inventory.shares[rank].node).second)
      continue;
    Json ranks = Json::array();
    for (std::size_t other = 0; other < inventory.ranks.size(); ++other)
      if (inventory.shares[other].node == inventory.shares[rank].node)
        ranks.push_back(other);
    nodes.push_back({{"node", inventory.shares[rank].node.value},
                     {"host", machine.host},
                     {"boot_id", machine.boot},
                     {"kernel", machine.kernel},
                     {"cores", machine.machineCores},
                     {"numa_nodes", machine.machineNuma},
                     {"memory_bytes", machine.memory.value},
                     {"free_memory_bytes", machine.freeMemory.value},
                     {"ranks", ranks}});
  }
  return nodes;
}

} // namespace

Inventory takeStock(std::vector<RankFacts> ranks) {
  Inventory inventory;
  inventory.ranks = std::move(ranks);
  std::vector<Machine> machines;
  std::vector<std::vector<DeviceProperties>> seen;
  for (const RankFacts &rank : inventory.ranks) {
    machines.push_back(rank.machine);
    seen.push_back(rank.sight.devices);
  }
  inventory.shares = shareCores(machines);
  std::vector<NodeId> nodes;
  for (const RankShare &share : inventory.shares) {
    nodes.push_back(share.node);
    inventory.slots.push_back(share.cores);
  }
  inventory.shared = shareDevices(seen, nodes);
  return inventory;
}

Json toJson(const Inventory &inventory) {
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < inventory.ranks.size(); ++rank)
    ranks.push_back(rankJson(inventory, rank));
  return {{"version", 1}, {"nodes", nodesJson(inventory)}, {"ranks", ranks}};
}

} // namespace streamap
