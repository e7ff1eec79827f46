// streamap-info: what is wrong or slow, and what to do about it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/doctor.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace streamap {
namespace {

using Findings = std::vector<Finding>;

/// What each check looks at.
struct Case {
  const Inventory &inventory;
  std::string_view devicesSetting;
  std::map<NodeId, std::vector<std::size_t>> nodes; ///< ranks of each

  const RankFacts &rank(std::size_t number) const { return inventory.ranks[number]; }
  const std::string &host(std::size_t rank) const { return inventory.ranks[rank].machine.host; }
  std::string name(std::size_t rank) const {
    return inventory.ranks.size() == 1 ? host(rank) : "rank " + std::to_string(rank) + " on " + host(rank);
  }
};

std::string counted(std::size_t number, const std::string &one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

std::string list(const std::vector<std::size_t> &ranks) {
  std::string text;
  for (std::size_t k = 0; k < ranks.size(); ++k)
    text += (k == 0 ? "" : k + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[k]);
  return text;
}

std::string deviceName(const DeviceProperties &device) {
  return device.name + " (" + describe(device.uuid) + ")";
}

/// Each device of the ranks, with those that see it.
std::map<DeviceUuid, std::pair<const DeviceProperties *, std::vector<std::size_t>>>
devicesOf(const Case &at, const std::vector<std::size_t> &ranks) {
  std::map<DeviceUuid, std::pair<const DeviceProperties *, std::vector<std::size_t>>> devices;
  for (const std::size_t rank : ranks)
    for (const DeviceProperties &device : at.rank(rank).sight.devices) {
      auto &entry = devices[device.uuid];
      entry.first = &device;
      entry.second.push_back(rank);
    }
  return devices;
}

// ---- The start

void findSingletons(const Case &at, Findings &found) {
  const RankFacts &head = at.rank(0);
  if (head.launcherSize > 1 && head.mpi.size != head.launcherSize)
    found.push_back({"singletons", at.host(0),
                     "the launcher (" + head.launcher + ") started " + std::to_string(head.launcherSize) +
                         " processes, but MPI sees " + counted(static_cast<std::size_t>(head.mpi.size), "rank") +
                         ": each process would run the whole program by itself",
                     "start it with the mpirun of " + (head.mpi.library.empty() ? "libstreamap's MPI" : head.mpi.library) +
                         ", which libstreamap was built with"});
}

void findDifferentBinaries(const Case &at, Findings &found) {
  for (std::size_t rank = 1; rank < at.inventory.ranks.size(); ++rank)
    for (std::size_t k = 0; k < at.rank(0).binaries.size(); ++k)
      if (k >= at.rank(rank).binaries.size() || at.rank(rank).binaries[k] != at.rank(0).binaries[k]) {
        const std::string &file = at.rank(0).binaries[k];
        found.push_back({"different-binaries", at.name(rank),
                         "it has another file than rank 0 on " + at.host(0) + ": " + file.substr(0, file.rfind(' ')),
                         "install the same build on all machines, or start it from a shared folder"});
        return;
      }
}

void findThreadLevel(const Case &at, Findings &found) {
  for (std::size_t rank = 0; rank < at.inventory.ranks.size(); ++rank) {
    const ThreadLevel level = at.rank(rank).mpi.threads;
    if (level == ThreadLevel::None || level >= ThreadLevel::Serialized)
      continue;
    found.push_back({"thread-level", at.name(rank),
                     "the MPI library grants " + std::string(describe(level)) + ", and StreamMAP needs MPI_THREAD_SERIALIZED",
                     "use an MPI library that is built with support for threads"});
    return;
  }
}

// ---- Cores

void findBoundCores(const Case &at, Findings &found) {
  std::vector<Machine> machines;
  for (const RankFacts &rank : at.inventory.ranks)
    machines.push_back(rank.machine);
  const std::string fix = "mpirun --bind-to none, or --map-by slot:PE=<cores a rank>";
  for (std::size_t rank = 0; rank < machines.size(); ++rank)
    if (const auto slots = static_cast<std::size_t>(at.inventory.slots[rank]); slots > machines[rank].cores.size()) {
      found.push_back({"cores-bound", at.name(rank),
                       counted(slots, "slot") + " share " + counted(machines[rank].cores.size(), "core"),
                       fix + ", or fewer slots"});
      return;
    }
  for (const auto &[node, ranks] : at.nodes)
    if (std::any_of(ranks.begin(), ranks.end(), [&](std::size_t rank) { return at.inventory.shares[rank].oversubscribed; })) {
      found.push_back({"cores-bound", at.host(ranks[0]),
                       counted(ranks.size(), "rank") + " share fewer cores than there are ranks", fix + ", or fewer ranks"});
      return;
    }
  if (const auto notice = bindingNotice(machines))
    found.push_back({"cores-bound", at.host(0), *notice, at.rank(0).launcher.empty() ? "start it without taskset" : fix});
}

// ---- Devices

void findMissingDriver(const Case &at, Findings &found) {
  for (const auto &[node, ranks] : at.nodes) {
    const RankFacts &rank = at.rank(ranks[0]);
    const bool hasCards = rank.machine.nvidiaCards > 0 || rank.sight.listed > 0;
    if (!rank.sight.drivers.empty() || at.devicesSetting == "none" ||
        !(hasCards || at.devicesSetting.find("cuda") != std::string_view::npos))
      continue;
    found.push_back({"no-driver", at.host(ranks[0]),
                     hasCards ? "there are NVIDIA devices that cannot be used: " + rank.sight.reason
                              : "the setting `devices` asks for NVIDIA's devices: " + rank.sight.reason,
                     "install NVIDIA's driver on this machine; in a container, give it the host's (--gpus all, --nv)"});
  }
}

void findInvisible(const Case &at, Findings &found) {
  for (const auto &[node, ranks] : at.nodes) {
    const auto seen = devicesOf(at, ranks);
    std::set<DeviceUuid> told;
    for (const std::size_t rank : ranks)
      for (const HiddenDevice &hidden : at.rank(rank).sight.hidden)
        if (!seen.contains(hidden.uuid) && told.insert(hidden.uuid).second)
          found.push_back({"gpu-invisible", at.host(rank),
                           hidden.name + " (" + describe(hidden.uuid) + ") is visible to no rank: " + hidden.why,
                           "take CUDA_VISIBLE_DEVICES away, or name it there; or see to its driver and permissions"});
  }
}

void findCudaOrder(const Case &at, Findings &found) {
  for (const auto &[node, ranks] : at.nodes) {
    const auto odd = std::find_if(ranks.begin(), ranks.end(), [&](std::size_t rank) {
      return ordersDiffer(at.rank(rank).sight.devices) || at.rank(rank).sight.order != at.rank(ranks[0]).sight.order;
    });
    if (odd == ranks.end())
      continue;
    const bool among = at.rank(*odd).sight.order != at.rank(ranks[0]).sight.order;
    found.push_back({"cuda-order", at.name(*odd),
                     among ? "CUDA_DEVICE_ORDER is not the same for all ranks of the machine, so one number means several devices"
                           : "CUDA numbers the devices otherwise than nvidia-smi does, so numbers in CUDA_VISIBLE_DEVICES may "
                             "mean others than you think",
                     "export CUDA_DEVICE_ORDER=PCI_BUS_ID (mpirun -x CUDA_DEVICE_ORDER), or name devices by UUID"});
  }
}

void findExclusive(const Case &at, Findings &found) {
  for (const auto &[node, ranks] : at.nodes)
    for (const auto &[uuid, entry] : devicesOf(at, ranks)) {
      const auto &[device, seenBy] = entry;
      const auto &sight = at.rank(seenBy[0]).sight;
      const std::size_t place = static_cast<std::size_t>(device - at.rank(seenBy.back()).sight.devices.data());
      const int others = place < sight.uses.size() ? sight.uses[place].others : 0;
      if (device->mode == ComputeMode::Prohibited)
        found.push_back({"gpu-exclusive", at.host(seenBy[0]), deviceName(*device) + " allows no processes (compute mode)",
                         "nvidia-smi -c DEFAULT, as root"});
      else if (device->mode == ComputeMode::Exclusive && (seenBy.size() > 1 || others > 0))
        found.push_back({"gpu-exclusive", at.host(seenBy[0]),
                         deviceName(*device) + " allows one process (compute mode), and " +
                             (others > 0 ? "another program has it" : counted(seenBy.size(), "rank") + " see it"),
                         "nvidia-smi -c DEFAULT, as root, or one rank for each device"});
    }
}

void findShared(const Case &at, Findings &found) {
  for (const auto &[node, ranks] : at.nodes)
    for (const auto &[uuid, entry] : devicesOf(at, ranks)) {
      std::vector<std::size_t> users;
      for (const std::size_t rank : ranks)
        for (const GrantedDevice &grant : at.inventory.shared.byRank[rank])
          if (grant.uuid == uuid)
            users.push_back(rank);
      if (users.size() > 1 && !at.rank(users[0]).sight.sharingAsked && entry.first->backend != "emulated")
        found.push_back(
            {"gpu-shared", at.host(users[0]),
             "ranks " + list(users) + " share " + deviceName(*entry.first) + ", each with a part of its memory",
             "start no more ranks on a machine than it has devices (mpirun --map-by ppr:1:node), or start NVIDIA's MPS"});
    }
}

void findLost(const Case &at, Findings &found) {
  std::set<DeviceUuid> told;
  for (std::size_t rank = 0; rank < at.inventory.ranks.size(); ++rank) {
    const DeviceSight &sight = at.rank(rank).sight;
    for (std::size_t k = 0; k < sight.uses.size(); ++k)
      if (sight.uses[k].lost && told.insert(sight.devices[k].uuid).second)
        found.push_back({"gpu-lost", at.host(rank), deviceName(sight.devices[k]) + " has fallen off the bus",
                         "reboot the machine; if it comes back, the device or its slot is broken (dmesg says NVRM: Xid 79)"});
  }
}

void findGpuAware(const Case &at, Findings &found) {
  if (at.inventory.ranks.size() < 2)
    return;
  for (std::size_t rank = 0; rank < at.inventory.ranks.size(); ++rank) {
    const RankFacts &facts = at.rank(rank);
    const auto &devices = facts.sight.devices;
    if (facts.mpi.gpuAware == GpuAware::Yes ||
        std::none_of(devices.begin(), devices.end(), [](const DeviceProperties &device) { return device.backend == "cuda"; }))
      continue;
    found.push_back({"mpi-not-gpu-aware", at.name(rank),
                     facts.mpi.library +
                         (facts.mpi.gpuAware == GpuAware::No ? " does not take" : " does not say whether it takes") +
                         " pointers to a device's memory, so bytes of devices go to other ranks by way of the host",
                     "an MPI library built with CUDA (Open MPI: --with-cuda, or UCX with CUDA)"});
    return;
  }
}

using Check = void (*)(const Case &, Findings &);
constexpr std::array<Check, 11> checks{findSingletons, findDifferentBinaries, findThreadLevel, findBoundCores, findMissingDriver,
                                       findInvisible,  findCudaOrder,         findExclusive,   findShared,     findLost,
                                       findGpuAware};

} // namespace

const std::vector<std::string_view> &findingCodes() {
  static const std::vector<std::string_view> codes{"singletons", "different-binaries", "thread-level",     "cores-bound",
                                                   "no-driver",  "gpu-invisible",      "cuda-order",       "gpu-exclusive",
                                                   "gpu-shared", "gpu-lost",           "mpi-not-gpu-aware"};
  return codes;
}

std::vector<Finding> diagnose(const Inventory &inventory, std::string_view devicesSetting) {
  Case at{inventory, devicesSetting, {}};
  for (std::size_t rank = 0; rank < inventory.ranks.size(); ++rank)
    at.nodes[inventory.shares[rank].node].push_back(rank);
  Findings found;
  for (const Check check : checks)
    check(at, found);
  return found;
}

} // namespace streamap
