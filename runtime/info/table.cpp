// streamap-info: what there is, for people.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/table.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace streamap {
namespace {

std::string counted(std::size_t number, const std::string &one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

/// `0-3,8`.
std::string ranges(std::vector<std::uint32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (std::size_t k = 0; k < numbers.size();) {
    std::size_t last = k;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[k]);
    if (last > k)
      text += "-" + std::to_string(numbers[last]);
    k = last + 1;
  }
  return text;
}

std::string nodeLine(const Machine &machine) {
  std::ostringstream out;
  out << machine.host << ": " << counted(machine.machineCores, "core") << ", " << counted(machine.machineNuma, "NUMA node")
      << ", " << describe(machine.memory) << " of memory (" << describe(machine.freeMemory) << " free), Linux " << machine.kernel;
  if (machine.quota > 0)
    out << "\n  control group: " << counted(machine.quota, "core") << " of time";
  if (machine.memoryLimit != Bytes{})
    out << "\n  control group: " << describe(machine.memoryLimit) << " of memory";
  return out.str() + "\n";
}

std::string rankLine(const Inventory &inventory, std::size_t rank) {
  const RankFacts &facts = inventory.ranks[rank];
  std::set<std::uint32_t> numa(facts.machine.numa.begin(), facts.machine.numa.end());
  std::ostringstream out;
  out << "  rank " << rank << ": may use " << (facts.machine.cores.size() == 1 ? "core " : "cores ")
      << ranges(facts.machine.cores);
  if (facts.machine.machineNuma > 1)
    out << " (NUMA " << ranges({numa.begin(), numa.end()}) << ")";
  out << ", its share is " << inventory.shares[rank].cores << ", "
      << counted(static_cast<std::size_t>(inventory.slots[rank]), "slot") << "\n";
  return out.str();
}

/// A device, and the ranks that use it.
std::string deviceLines(const DeviceProperties &device, const DeviceUse &use, const std::vector<std::size_t> &users) {
  std::ostringstream out;
  out << "  " << device.name << " " << describe(device.uuid) << "\n    cc " << device.capability.major << "."
      << device.capability.minor << ", " << counted(static_cast<std::size_t>(device.multiprocessors), "multiprocessor") << ", "
      << describe(device.memory);
  if (use.used)
    out << " (" << describe(*use.used) << " used)";
  if (device.tensorCores)
    out << ", tensor cores";
  if (!device.pciBusId.empty())
    out << ", PCI " << device.pciBusId;
  if (device.numaNode >= 0)
    out << ", NUMA " << device.numaNode;
  if (device.migParent)
    out << ", part of " << describe(*device.migParent);
  if (device.mode != ComputeMode::Default)
    out << (device.mode == ComputeMode::Exclusive ? ", for one process only" : ", for no process");
  if (use.busyPercent && *use.busyPercent > 0)
    out << ", " << *use.busyPercent << " % busy";
  if (use.others > 0)
    out << ", used by " << use.others << (use.others == 1 ? " other process" : " other processes");
  if (use.lost)
    out << ", fallen off the bus";
  if (!device.peers.empty())
    out << ", reaches " << counted(device.peers.size(), "peer") << " directly";
  out << "\n    " << (users.empty() ? "used by no rank" : users.size() == 1 ? "used by rank" : "shared by ranks");
  for (const std::size_t rank : users)
    out << " " << rank;
  out << "\n";
  return out.str();
}

std::string nodeDevices(const Inventory &inventory, const std::vector<std::size_t> &ranks) {
  std::string text;
  std::set<DeviceUuid> told;
  for (const std::size_t rank : ranks) {
    const DeviceSight &sight = inventory.ranks[rank].sight;
    for (std::size_t k = 0; k < sight.devices.size(); ++k) {
      if (!told.insert(sight.devices[k].uuid).second)
        continue;
      std::vector<std::size_t> users;
      for (const std::size_t other : ranks)
        for (const GrantedDevice &grant : inventory.shared.byRank[other])
          if (grant.uuid == sight.devices[k].uuid)
            users.push_back(other);
      text += deviceLines(sight.devices[k], k < sight.uses.size() ? sight.uses[k] : DeviceUse{}, users);
    }
  }
  for (const std::size_t rank : ranks)
    for (const HiddenDevice &hidden : inventory.ranks[rank].sight.hidden)
      if (told.insert(hidden.uuid).second)
        text += "  " + hidden.name + " " + describe(hidden.uuid) + "\n    not visible: " + hidden.why + "\n";
  const DeviceSight &first = inventory.ranks[ranks[0]].sight;
  for (const std::string &driver : first.drivers)
    text += "  driver: " + driver + "\n";
  if (text.empty())
    text = "  no devices: " + (first.reason.empty() ? "none are asked for" : first.reason) + "\n";
  return text;
}

} // namespace

std::string describeInventory(const Inventory &inventory) {
  std::map<NodeId, std::vector<std::size_t>> nodes;
  for (std::size_t rank = 0; rank < inventory.ranks.size(); ++rank)
    nodes[inventory.shares[rank].node].push_back(rank);
  const RankFacts &head = inventory.ranks[0];
  std::string text = counted(inventory.ranks.size(), "rank") + " on " + counted(nodes.size(), "machine");
  if (head.mpi.threads == ThreadLevel::None)
    text += ", without a launcher\n";
  else
    text += ", started by " + head.launcher + "; " + head.mpi.library + ", " + std::string(describe(head.mpi.threads)) +
            ", takes device pointers: " + std::string(describe(head.mpi.gpuAware)) + "\n";
  for (const auto &[node, ranks] : nodes) {
    text += "\n" + nodeLine(inventory.ranks[ranks[0]].machine);
    for (const std::size_t rank : ranks)
      text += rankLine(inventory, rank);
    text += nodeDevices(inventory, ranks);
  }
  for (std::size_t rank = 0; rank < inventory.ranks.size(); ++rank)
    for (const std::string &notice : inventory.ranks[rank].sight.notices)
      text += "\nrank " + std::to_string(rank) + ": " + notice + "\n";
  for (const std::string &notice : inventory.shared.notices)
    text += "\n" + notice + "\n";
  return text;
}

std::string describeFindings(std::span<const Finding> findings) {
  if (findings.empty())
    return "Nothing is wrong.\n";
  std::string text;
  for (const Finding &finding : findings)
    text += finding.where + ": " + finding.what + " [" + std::string(finding.code) + "]\n  fix: " + finding.fix + "\n";
  return text;
}

} // namespace streamap
