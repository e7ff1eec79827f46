// StreamMAP runtime: what the process's control group allows it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/control_group.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>

namespace streamap {
namespace {

std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void lower(std::uint32_t &limit, double quota, double period) {
  if (quota <= 0 || period <= 0)
    return;
  const auto cores = static_cast<std::uint32_t>(std::max(1.0, std::ceil(quota / period)));
  limit = limit == 0 ? cores : std::min(limit, cores);
}

void lower(Bytes &limit, const std::string &text) {
  std::uint64_t bytes = 0;
  // Version 1 writes the largest number of pages for "none"; no machine has half of that.
  if (std::istringstream in(text); in >> bytes && bytes > 0 && bytes < std::uint64_t{1} << 62)
    limit = limit == Bytes{} ? Bytes{bytes} : std::min(limit, Bytes{bytes});
}

/// Calls \p read with each folder from the group's own to the root of \p mount.
template <class Read> void climb(const std::string &mount, std::string group, Read read) {
  for (;;) {
    read(mount + (group == "/" ? "" : group));
    if (group.empty() || group == "/")
      return;
    group.resize(group.rfind('/'));
  }
}

void readVersion2(const std::string &folder, ControlGroupLimits &limits) {
  double quota = 0, period = 0;
  if (std::istringstream in(firstLine(folder + "/cpu.max")); in >> quota >> period)
    lower(limits.cores, quota, period);
  lower(limits.memory, firstLine(folder + "/memory.max"));
}

void readVersion1(const std::string &controller, const std::string &folder, ControlGroupLimits &limits) {
  if (controller == "memory")
    return lower(limits.memory, firstLine(folder + "/memory.limit_in_bytes"));
  double quota = 0, period = 0;
  std::istringstream(firstLine(folder + "/cpu.cfs_quota_us")) >> quota;
  std::istringstream(firstLine(folder + "/cpu.cfs_period_us")) >> period;
  lower(limits.cores, quota, period);
}

} // namespace

ControlGroupLimits controlGroupLimits(const std::string &root) {
  const std::string mount = root + "/sys/fs/cgroup";
  ControlGroupLimits limits;
  std::ifstream membership(root + "/proc/self/cgroup");
  for (std::string line; std::getline(membership, line);) { // 4:memory:/a/b, or 0::/a/b for version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    const std::string group = line.substr(second + 1);
    std::istringstream controllers(line.substr(first + 1, second - first - 1));
    if (second == first + 1)
      for (const char *const place : {"", "/unified"}) // the second where both versions are mounted
        climb(mount + place, group, [&](const std::string &folder) { readVersion2(folder, limits); });
    for (std::string controller; std::getline(controllers, controller, ',');)
      if (controller == "cpu" || controller == "memory")
        climb(mount + "/" + controller, group, [&](const std::string &folder) { readVersion1(controller, folder, limits); });
  }
  return limits;
}

} // namespace streamap
