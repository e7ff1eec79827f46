// StreamMAP simulator: what lies in a device's memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "simulate/program.h"

namespace streamap::simulate {

/// Data in the order of their last use. Those that a running task uses are pinned. As the runtime does, room is made by dropping
/// the least recently used data that is elsewhere too, and only then data that must be saved before.
class DeviceMemory {
public:
  explicit DeviceMemory(Bytes capacity) : free(capacity.value) {}

  bool has(DatumId datum) const { return places.contains(datum.value); }
  /// Makes it the most recently used one. It must be there.
  void touch(DatumId datum);
  void pin(DatumId datum) { ++entryOf(datum).pins; }
  void unpin(DatumId datum) { --entryOf(datum).pins; }
  /// Room for it, without contents. It must not be there, and there must be room.
  void add(DatumId datum, std::uint64_t bytes);
  /// Which version lies there, and may lie in other memories too; noVersion: none of value. The driver's numbers.
  std::uint32_t versionOf(DatumId datum) const { return entries[places.at(datum.value)].version; }
  void setVersion(DatumId datum, std::uint32_t version) { entryOf(datum).version = version; }
  static constexpr std::uint32_t noVersion = UINT32_MAX;
  void drop(DatumId datum);

  std::uint64_t freeBytes() const { return free; }
  /// What could be made free without ending a task.
  std::uint64_t reclaimable() const;
  /// The next one to go; nothing when all are pinned. \p isElsewhere: whether nothing is lost with it.
  std::optional<DatumId> victim(const std::function<bool(DatumId)> &isElsewhere) const;

private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Entry {
    DatumId datum;
    std::uint64_t bytes = 0;
    std::uint32_t version = noVersion;
    std::uint32_t pins = 0, older = none, newer = none;
  };
  Entry &entryOf(DatumId datum) { return entries[places.at(datum.value)]; }
  void unlink(std::uint32_t at);
  void linkNewest(std::uint32_t at);

  std::uint64_t free;
  std::unordered_map<std::uint32_t, std::uint32_t> places; ///< datum to entry
  std::vector<Entry> entries;
  std::vector<std::uint32_t> unused;
  std::uint32_t oldest = none, newest = none;
};

} // namespace streamap::simulate
