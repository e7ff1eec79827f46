// StreamMAP runtime: the machine that this process is on, and what of it the process may use.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/machine.h"

#include <hwloc.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include "discover/control_group.h"

namespace streamap {
namespace {

std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// A value of /proc/meminfo.
Bytes memoryLine(std::string_view key) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key))
      return Bytes{std::strtoull(line.c_str() + key.size(), nullptr, 10) << 10};
  return {};
}

/// Display and compute devices of NVIDIA; class 03 with any subclass.
std::uint32_t countNvidiaCards() {
  std::uint32_t cards = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator device("/sys/bus/pci/devices", error), end; !error && device != end;
       device.increment(error))
    cards += firstLine(device->path() / "vendor") == "0x10de" && firstLine(device->path() / "class").starts_with("0x03") ? 1 : 0;
  return cards;
}

void inspectCores(Machine &machine) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_bitmap_t bound = hwloc_bitmap_alloc();
  if (hwloc_topology_load(topology) == 0) {
    const bool isBound = hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0 && !hwloc_bitmap_iszero(bound);
    hwloc_obj_t core = nullptr;
    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr) {
      ++machine.machineCores;
      if (isBound && !hwloc_bitmap_intersects(core->cpuset, bound))
        continue;
      machine.cores.push_back(static_cast<std::uint32_t>(hwloc_bitmap_first(core->cpuset)));
      machine.numa.push_back(static_cast<std::uint32_t>(std::max(0, hwloc_bitmap_first(core->nodeset))));
    }
    machine.machineNuma = static_cast<std::uint32_t>(std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE)));
  }
  hwloc_bitmap_free(bound);
  hwloc_topology_destroy(topology);
  if (machine.cores.empty()) { // a system that hides its cores: what the standard library counts
    machine.machineCores = std::max(1u, std::thread::hardware_concurrency());
    for (std::uint32_t i = 0; i < machine.machineCores; ++i)
      machine.cores.push_back(i);
    machine.numa.assign(machine.cores.size(), 0);
  }
}

} // namespace

std::vector<std::vector<std::uint32_t>> hardwareThreads() {
  std::vector<std::vector<std::uint32_t>> byCore;
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(topology) == 0)
    for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr;) {
      auto &threads = byCore.emplace_back();
      for (int thread = hwloc_bitmap_first(core->cpuset); thread >= 0; thread = hwloc_bitmap_next(core->cpuset, thread))
        threads.push_back(static_cast<std::uint32_t>(thread));
    }
  hwloc_topology_destroy(topology);
  return byCore;
}

Machine inspectMachine() {
  Machine machine;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  machine.host = host;
  machine.boot = firstLine("/proc/sys/kernel/random/boot_id");
  struct stat space{};
  if (stat("/proc/self/ns/pid", &space) == 0)
    machine.pidNamespace = space.st_ino;
  machine.pid = getpid();
  inspectCores(machine);
  utsname system{};
  if (uname(&system) == 0)
    machine.kernel = system.release;
  const ControlGroupLimits limits = controlGroupLimits();
  machine.quota = limits.cores;
  machine.memoryLimit = limits.memory;
  machine.memory = memoryLine("MemTotal:");
  machine.freeMemory = memoryLine("MemAvailable:");
  machine.nvidiaCards = countNvidiaCards();
  return machine;
}

} // namespace streamap
