// StreamMAP simulator: what lies in a device's memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/device_memory.h"

#include <cassert>

namespace streamap::simulate {

void DeviceMemory::unlink(std::uint32_t at) {
  Entry &entry = entries[at];
  (entry.older == none ? oldest : entries[entry.older].newer) = entry.newer;
  (entry.newer == none ? newest : entries[entry.newer].older) = entry.older;
}

void DeviceMemory::linkNewest(std::uint32_t at) {
  entries[at].older = newest;
  entries[at].newer = none;
  (newest == none ? oldest : entries[newest].newer) = at;
  newest = at;
}

void DeviceMemory::touch(DatumId datum) {
  const std::uint32_t at = places.at(datum.value);
  if (at == newest)
    return;
  unlink(at);
  linkNewest(at);
}

void DeviceMemory::add(DatumId datum, std::uint64_t bytes) {
  assert(!has(datum) && bytes <= free);
  free -= bytes;
  std::uint32_t at = 0;
  if (unused.empty()) {
    at = static_cast<std::uint32_t>(entries.size());
    entries.emplace_back();
  } else {
    at = unused.back();
    unused.pop_back();
  }
  entries[at] = {datum, bytes};
  linkNewest(at);
  places.emplace(datum.value, at);
}

void DeviceMemory::drop(DatumId datum) {
  const auto found = places.find(datum.value);
  assert(found != places.end() && entries[found->second].pins == 0);
  unlink(found->second);
  free += entries[found->second].bytes;
  unused.push_back(found->second);
  places.erase(found);
}

std::uint64_t DeviceMemory::reclaimable() const {
  std::uint64_t bytes = free;
  for (std::uint32_t at = oldest; at != none; at = entries[at].newer)
    if (entries[at].pins == 0)
      bytes += entries[at].bytes;
  return bytes;
}

std::optional<DatumId> DeviceMemory::victim(const std::function<bool(DatumId)> &isElsewhere) const {
  std::optional<DatumId> found;
  for (std::uint32_t at = oldest; at != none; at = entries[at].newer) {
    const Entry &entry = entries[at];
    if (entry.pins > 0)
      continue;
    if (isElsewhere(entry.datum))
      return entry.datum;
    if (!found)
      found = entry.datum;
  }
  return found;
}

} // namespace streamap::simulate
