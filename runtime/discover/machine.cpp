// StreamMAP runtime: the machine that this process is on, and what of it the process may use.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/machine.h"

#include <hwloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

namespace streamap {
namespace {

std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The smallest `cpu.max` on the way from the process's control group to the root, in whole cores; 0 for none.
std::uint32_t controlGroupQuota() {
  std::ifstream membership("/proc/self/cgroup");
  std::string line, group;
  while (std::getline(membership, line))
    if (line.starts_with("0::"))
      group = line.substr(3);
  std::uint32_t least = 0;
  for (;;) {
    std::istringstream limit(firstLine("/sys/fs/cgroup" + group + "/cpu.max"));
    double quota = 0, period = 0;
    if (limit >> quota >> period && period > 0) {
      const auto cores = static_cast<std::uint32_t>(std::max(1.0, std::ceil(quota / period)));
      least = least == 0 ? cores : std::min(least, cores);
    }
    if (group.empty() || group == "/")
      return least;
    group.resize(group.rfind('/'));
  }
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
      if (!isBound || hwloc_bitmap_intersects(core->cpuset, bound))
        machine.cores.push_back(static_cast<std::uint32_t>(hwloc_bitmap_first(core->cpuset)));
    }
  }
  hwloc_bitmap_free(bound);
  hwloc_topology_destroy(topology);
  if (machine.cores.empty()) { // a system that hides its cores: what the standard library counts
    machine.machineCores = std::max(1u, std::thread::hardware_concurrency());
    for (std::uint32_t i = 0; i < machine.machineCores; ++i)
      machine.cores.push_back(i);
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
  machine.quota = controlGroupQuota();
  return machine;
}

} // namespace streamap
