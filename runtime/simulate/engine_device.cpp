// StreamMAP simulator: devices at work.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>

#include "simulate/engine.h"

namespace streamap::simulate {

/// A lane of the device takes the task: room is made, and what is not there is brought. False: it must wait until another ends.
bool Engine::load(LiveTask &task) {
  DeviceMemory &memory = *state(task.processor).memory;
  std::uint64_t missing = task.what->memory.value;
  for (const Use &use : task.uses) {
    if (memory.has(use.datum)) {
      memory.pin(use.datum);
      memory.touch(use.datum);
    } else {
      missing += program.bytesOf(use.datum);
    }
  }
  Seconds ready = now;
  if (!makeRoom(task.processor, missing, ready)) {
    for (const Use &use : task.uses)
      if (memory.has(use.datum))
        memory.unpin(use.datum);
    return false;
  }
  for (const Use &use : task.uses)
    if (!memory.has(use.datum)) {
      memory.add(use.datum, program.bytesOf(use.datum));
      memory.pin(use.datum);
    }
  ready = std::max(ready, bringToDevice(task));
  ++state(task.processor).lanesInUse;
  task.stage = Stage::Loading;
  if (ready > now)
    events.add(ready, EventKind::DataIsThere, indexOf(task), task.life);
  else
    dataIsThere(task);
  return true;
}

/// When all that the task reads is on its device. From then on what it writes is nowhere else.
Seconds Engine::bringToDevice(LiveTask &task) {
  const Place place = table[task.processor].place;
  Seconds ready = now;
  for (const std::uint32_t number : task.reads) {
    DataVersion &version = versions[number];
    RankCopy &copy = *version.at(place.rank);
    if ((copy.memories & bitOf(place.memory)) != 0)
      continue;
    const Seconds onHost = bringToHost(version, place.rank, now);
    ready = std::max(ready, network.move(program.bytesOf(version.datum), {place.rank, hostMemory}, place, onHost));
    setDeviceVersion(task.processor, version.datum, number);
    copy.memories |= bitOf(place.memory);
    copy.planned |= bitOf(place.memory);
  }
  for (const std::uint32_t number : task.writes)
    setDeviceVersion(task.processor, versions[number].datum, number);
  return ready;
}

/// The device's place for the datum holds that version, and what was there is gone.
void Engine::setDeviceVersion(ProcessorId device, DatumId datum, std::uint32_t number) {
  const Place place = table[device].place;
  DeviceMemory &memory = *state(device).memory;
  const std::uint32_t before = memory.versionOf(datum);
  if (before != DeviceMemory::noVersion && before != number)
    if (RankCopy *const copy = versions[before].at(place.rank)) {
      copy->memories &= ~bitOf(place.memory);
      copy->planned &= ~bitOf(place.memory);
    }
  memory.setVersion(datum, number);
}

/// Evicts until \p bytes are free. \p ready grows by the time that saving takes.
bool Engine::makeRoom(ProcessorId device, std::uint64_t bytes, Seconds &ready) {
  DeviceMemory &memory = *state(device).memory;
  if (memory.freeBytes() >= bytes)
    return true;
  if (memory.reclaimable() < bytes)
    return false;
  const Place place = table[device].place;
  const std::uint64_t bit = bitOf(place.memory);
  const auto copyOf = [&](DatumId datum) -> RankCopy * {
    const std::uint32_t number = memory.versionOf(datum);
    return number == DeviceMemory::noVersion ? nullptr : versions[number].at(place.rank);
  };
  const auto isElsewhere = [&](DatumId datum) {
    const RankCopy *const copy = copyOf(datum);
    return !copy || (copy->memories & ~bit) != 0;
  };
  while (memory.freeBytes() < bytes) {
    const std::optional<DatumId> victim = memory.victim(isElsewhere);
    assert(victim);
    if (RankCopy *const copy = copyOf(*victim)) {
      if (!isElsewhere(*victim)) {
        copy->memories |= bitOf(hostMemory);
        copy->planned |= bitOf(hostMemory);
        ready = std::max(ready, network.move(program.bytesOf(*victim), place, {place.rank, hostMemory}, now));
      }
      copy->memories &= ~bit;
      copy->planned &= ~bit;
    }
    memory.drop(*victim);
    ++outcome.evictions;
  }
  return true;
}

void Engine::dataIsThere(LiveTask &task) {
  state(task.processor).loaded.push_back(indexOf(task));
  admit(task.processor);
}

/// Starts the loaded tasks that may run side by side with those that run.
void Engine::admit(ProcessorId id) {
  ProcessorState &processor = state(id);
  std::erase_if(processor.loaded, [&](std::uint32_t index) {
    LiveTask &task = live(index);
    if (!processor.admission->admits(task.what->share, {}))
      return false;
    processor.admission->start(task.what->share, {});
    task.stage = Stage::Running;
    task.started = now;
    events.add(now + durationOf(task), EventKind::BodyEnds, index, task.life);
    return true;
  });
}

} // namespace streamap::simulate
