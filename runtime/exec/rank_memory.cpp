// StreamMAP runtime: the memories of a rank that has devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/rank_memory.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "device/copy_shapes.h"

namespace streamap {
namespace {

bool overlap(ByteRun a, ByteRun b) {
  return a.lo < b.hi && b.lo < a.hi;
}

DeviceError asDeviceError(const Error &error) {
  return {DeviceErrorKind::Other, error};
}

} // namespace

RankMemory::Unit::Unit(OwnedDevice owned)
    : device(std::move(owned.device)), code(*device), source(*device),
      allocator(source, {owned.budget, !device->properties().guardsBuffers}) {
  const auto queue = device->createQueue();
  const auto event = device->createEvent();
  if (queue && event) // if not, the device is lost, and says so when it is used
    lane = {*queue, *event};
}

RankMemory::RankMemory(Mirror &mirror, std::vector<OwnedDevice> devices) : mirror_(mirror) {
  for (OwnedDevice &owned : devices)
    units_.push_back(std::make_unique<Unit>(std::move(owned)));
}

RankMemory::~RankMemory() = default;

DeviceResult<DeviceLane> RankMemory::makeLane(int number) {
  Device &device = *unit(number).device;
  const auto queue = device.createQueue();
  if (!queue)
    return tl::make_unexpected(queue.error());
  const auto event = device.createEvent();
  if (!event)
    return tl::make_unexpected(event.error());
  return DeviceLane{*queue, *event};
}

RankMemory::Ledger RankMemory::ledger(int number) {
  Unit &u = unit(number);
  std::lock_guard admission(u.admission);
  return {u.allocator.reserved(), u.allocator.allocated(), u.allocator.mostReserved(), u.allocator.budget()};
}

// ---- The host's side
// ----------------------------------------------------------------------------------------------------------------

bool RankMemory::isOnHost(std::span<const ByteRun> runs) const {
  if (!occupied_.load(std::memory_order_acquire))
    return true;
  std::lock_guard lock(mutex_);
  return residency_.missing(onHost, runs).empty() && !isPending(onHost, runs);
}

Result<void> RankMemory::bringToHost(std::span<const ByteRun> runs) {
  if (!occupied_.load(std::memory_order_acquire))
    return {};
  Lock lock(mutex_);
  if (auto filled = fill(lock, onHost, runs, nullptr); !filled)
    return tl::make_unexpected(filled.error().text);
  return {};
}

void RankMemory::hostChanges(std::span<const ByteRun> runs) {
  if (!occupied_.load(std::memory_order_acquire))
    return;
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return !isPending(onHost, runs); });
  for (const ByteRun run : runs)
    residency_.hostOnly(run);
}

// ---- Copies
// -----------------------------------------------------------------------------------------------------------------------

bool RankMemory::isPending(SegmentId to, std::span<const ByteRun> runs) const {
  return std::any_of(pending_.begin(), pending_.end(), [&](const Pending &copy) {
    return copy.to == to && std::any_of(runs.begin(), runs.end(), [&](ByteRun run) { return overlap(run, copy.run); });
  });
}

/// Whether a copy of some of it is under way, to anywhere.
bool RankMemory::isMoving(std::span<const ByteRun> runs) const {
  return std::any_of(pending_.begin(), pending_.end(), [&](const Pending &copy) {
    return std::any_of(runs.begin(), runs.end(), [&](ByteRun run) { return overlap(run, copy.run); });
  });
}

/// Makes the host (\p lane null) or a pinned segment hold the runs. Somebody else may be bringing parts of them: those are waited
/// for.
DeviceResult<void> RankMemory::fill(Lock &lock, SegmentId to, std::span<const ByteRun> runs, const DeviceLane *lane) {
  for (;;) {
    const auto sources = residency_.sources(to, runs);
    if (sources.empty())
      return {};
    if (isPending(to, runs)) {
      changed_.wait(lock);
      continue;
    }
    if (const RunSet far = unreachable(to, sources); !far.empty()) {
      if (auto nearer = fill(lock, onHost, far, nullptr); !nearer)
        return nearer;
      continue;
    }
    if (auto copied = copyAll(lock, to, sources, lane); !copied)
      return copied;
  }
}

/// Parts that only a device has whose memory the target's cannot read: they come by way of the host.
RunSet RankMemory::unreachable(SegmentId to, const std::vector<Residency::Source> &sources) const {
  RunSet runs;
  if (to == onHost)
    return runs;
  const int target = residency_[to].device;
  for (const auto &[run, from] : sources) {
    const int source = from == onHost ? target : residency_[from].device;
    const Device &there = *units_[static_cast<std::size_t>(source)]->device;
    if (source != target && (there.isLost() || !units_[static_cast<std::size_t>(target)]->device->canReach(there)))
      runs.push_back(run);
  }
  normalise(runs);
  return runs;
}

DeviceResult<void> RankMemory::copyAll(Lock &lock, SegmentId to, const std::vector<Residency::Source> &sources,
                                       const DeviceLane *lane) {
  const std::vector<Step> steps = stepsFor(to, sources);
  for (const auto &[run, from] : sources) {
    residency_.pin(from);
    pending_.push_back({to, run});
  }
  const int device = to == onHost ? -1 : residency_[to].device;
  lock.unlock();
  DeviceResult<void> done;
  for (const auto &[run, from] : sources)
    if (from == onHost || to == onHost)
      if (auto prepared = mirror_.prepare(run); !prepared && done)
        done = tl::unexpected<DeviceError>(asDeviceError(prepared.error()));
  if (done)
    done = device < 0 ? copyToHost(steps) : copyToDevice(device, steps, *lane);
  lock.lock();
  for (const auto &[run, from] : sources) {
    residency_.unpin(from);
    std::erase_if(pending_, [&](const Pending &copy) { return copy.to == to && copy.run == run; });
    if (done)
      residency_.copied(to, run);
  }
  changed_.notify_all();
  return done;
}

std::vector<RankMemory::Step> RankMemory::stepsFor(SegmentId to, const std::vector<Residency::Source> &sources) const {
  std::vector<Step> steps;
  for (std::size_t first = 0; first < sources.size();) {
    RunSet runs;
    const SegmentId from = sources[first].from;
    for (; first < sources.size() && sources[first].from == from; ++first)
      runs.push_back(sources[first].run);
    for (const RowsOfRuns &rows : rowsOf(runs)) {
      Step step;
      step.byte = rows.first.lo;
      step.shape = {Bytes{rows.first.bytes()}, rows.rows, Bytes{rows.pitch}, Bytes{rows.pitch}};
      if (from != onHost) {
        step.fromDevice = residency_[from].device;
        step.from = residency_[from].at(rows.first.lo).value;
      }
      if (to != onHost) {
        step.toDevice = residency_[to].device;
        step.to = residency_[to].at(rows.first.lo).value;
      }
      steps.push_back(step);
    }
  }
  return steps;
}

/// Copies to the host come from several devices, perhaps; each has a queue for it, which one thread uses at a time.
DeviceResult<void> RankMemory::copyToHost(std::span<const Step> steps) {
  for (std::size_t first = 0; first < steps.size();) {
    Unit &from = unit(steps[first].fromDevice);
    std::lock_guard service(from.service);
    for (const int device = steps[first].fromDevice; first < steps.size() && steps[first].fromDevice == device; ++first) {
      const Step &step = steps[first];
      if (auto queued = from.device->copyToHost(from.lane.queue, mirror_.at(step.byte), DevicePointer{step.from}, step.shape);
          !queued)
        return queued;
    }
    if (auto recorded = from.device->record(from.lane.queue, from.lane.event); !recorded)
      return recorded;
    if (auto done = from.device->wait(from.lane.event); !done)
      return done;
  }
  return {};
}

DeviceResult<void> RankMemory::copyToDevice(int number, std::span<const Step> steps, const DeviceLane &lane) {
  Device &device = *unit(number).device;
  for (const Step &step : steps) {
    const DevicePointer to{step.to}, from{step.from};
    auto queued = step.fromDevice < 0 ? device.copyToDevice(lane.queue, to, mirror_.at(step.byte), step.shape)
                  : step.fromDevice == number
                      ? device.copyWithin(lane.queue, to, from, step.shape)
                      : device.copyFromPeer(lane.queue, to, *unit(step.fromDevice).device, from, step.shape);
    if (!queued)
      return queued;
  }
  // The sources may change as soon as somebody else may run.
  if (auto recorded = device.record(lane.queue, lane.event); !recorded)
    return recorded;
  return device.wait(lane.event);
}

// ---- Making room
// ------------------------------------------------------------------------------------------------------------------

/// Takes one segment away that no task uses, after what only it holds has been copied to the host. False when there is none.
/// Called with `admission` held.
DeviceResult<bool> RankMemory::evictOne(Lock &lock, int device) {
  const auto victim = residency_.victim(device);
  if (!victim)
    return false;
  if (!victim->onlyThere.empty()) {
    residency_.pin(victim->id);
    auto saved = fill(lock, onHost, victim->onlyThere, nullptr);
    residency_.unpin(victim->id);
    changed_.notify_all();
    if (!saved)
      return tl::make_unexpected(saved.error());
    return true; // somebody may have used it meanwhile: it goes next time, if it is still the one
  }
  const DevicePointer block = residency_[victim->id].block;
  residency_.remove(victim->id);
  lock.unlock();
  auto freed = unit(device).allocator.free(block);
  lock.lock();
  if (!freed)
    return tl::make_unexpected(freed.error());
  return true;
}

DeviceResult<void> RankMemory::evictAll(Lock &lock, int device) {
  for (;;) {
    const auto evicted = evictOne(lock, device);
    if (!evicted)
      return tl::make_unexpected(evicted.error());
    if (*evicted)
      continue;
    if (!residency_.anyPinned(device, {}))
      break;
    changed_.wait(lock);
  }
  lock.unlock();
  auto trimmed = unit(device).allocator.trim(); // what is left over in reservations would be in the way
  lock.lock();
  return trimmed;
}

/// A block of device memory; takes what tasks no longer use when there is none left. Called with `admission` held. Waits for
/// running tasks only when all that is left is theirs.
DeviceResult<DevicePointer> RankMemory::makeRoom(Lock &lock, int device, Bytes size, std::span<const SegmentId> ours) {
  for (;;) {
    lock.unlock();
    auto block = unit(device).allocator.allocate(size);
    lock.lock();
    if (block || block.error().kind != DeviceErrorKind::OutOfMemory)
      return block;
    const auto evicted = evictOne(lock, device);
    if (!evicted)
      return tl::make_unexpected(evicted.error());
    if (*evicted)
      continue;
    if (!residency_.anyPinned(device, ours))
      return block;
    changed_.wait(lock);
  }
}

/// A pinned segment for the hull.
DeviceResult<SegmentId> RankMemory::place(Lock &lock, int device, ByteRun hull, std::span<const SegmentId> ours) {
  if (const auto there = residency_.covering(device, hull)) {
    residency_.pin(*there);
    return *there;
  }
  // Congruent to home, so that what is aligned there is aligned here.
  const std::uint64_t inPage = hull.lo % congruence;
  const bool onPage = unit(device).device->properties().guardsBuffers; // so that the hull ends where the block does
  const Bytes size{hull.bytes() + (onPage ? inPage : congruence - 1)};
  const auto block = makeRoom(lock, device, size, ours);
  if (!block)
    return tl::make_unexpected(block.error());
  const DevicePointer address = *block + (inPage - block->value) % congruence;
  assert(address.value % congruence == inPage && address.value + hull.bytes() <= block->value + size.value);
  const SegmentId id = residency_.add(device, hull, address, *block);
  residency_.pin(id);
  return id;
}

void RankMemory::unpin(std::span<const SegmentId> segments) {
  for (const SegmentId id : segments)
    residency_.unpin(id);
  changed_.notify_all();
}

/// A segment for each stretch. Segments of earlier tasks may be larger than this one needs, or lie so that what is left is in
/// pieces: when it does not fit beside them, they go.
DeviceResult<void> RankMemory::placeAll(Lock &lock, const DeviceLayout &layout, StagedTask &staged) {
  for (bool again = true;; again = false) {
    DeviceResult<void> placed;
    for (const DeviceStretch &stretch : layout.stretches) {
      const auto id = place(lock, staged.device, stretch.hull, staged.segments);
      if (!id) {
        placed = tl::make_unexpected(id.error());
        break;
      }
      staged.segments.push_back(*id);
      staged.addresses.push_back(residency_[*id].at(stretch.hull.lo));
    }
    if (placed || placed.error().kind != DeviceErrorKind::OutOfMemory || !again)
      return placed;
    unpin(staged.segments);
    staged.segments.clear();
    staged.addresses.clear();
    if (auto evicted = evictAll(lock, staged.device); !evicted)
      return evicted;
  }
}

/// What the task writes has no other holder from here on. Without this, an eviction (which follows no order of tasks) could save
/// old contents to the host while the task runs, and leave the host as a holder of them.
void RankMemory::claimWrites(Lock &lock, const DeviceLayout &layout, StagedTask &staged) {
  for (std::size_t k = 0; k < layout.stretches.size(); ++k) {
    const RunSet &writes = layout.stretches[k].writes;
    changed_.wait(lock, [&] { return !isMoving(writes); });
    staged.hostHad = unite(staged.hostHad, subtract(writes, residency_.missing(onHost, writes)));
    for (const ByteRun run : writes)
      residency_.wrote(staged.segments[k], run);
  }
}

DeviceResult<StagedTask> RankMemory::stage(int number, const DeviceLane &lane, const DeviceLayout &layout) {
  StagedTask staged;
  staged.device = number;
  Unit &u = unit(number);
  const auto giveUp = [&](DeviceError error) {
    unpin(staged.segments);
    return tl::unexpected<DeviceError>(std::move(error));
  };
  Lock lock(mutex_, std::defer_lock);
  {
    std::lock_guard admission(u.admission);
    lock.lock();
    occupied_.store(true, std::memory_order_release);
    auto placed = placeAll(lock, layout, staged);
    if (!placed && placed.error().kind == DeviceErrorKind::OutOfMemory)
      return giveUp({DeviceErrorKind::OutOfMemory,
                     {"it needs " + describe(layout.bytes()) + " of memory on " + u.device->name() + ", of which tasks may use " +
                          describe(u.allocator.budget()),
                      "split it into more tasks"}});
    if (!placed)
      return giveUp(placed.error());
    lock.unlock(); // admission before the lock, always
  }
  lock.lock();
  for (std::size_t k = 0; k < layout.stretches.size(); ++k)
    if (auto filled = fill(lock, staged.segments[k], layout.stretches[k].reads, &lane); !filled)
      return giveUp(filled.error());
  claimWrites(lock, layout, staged);
  return staged;
}

void RankMemory::done(const StagedTask &task) {
  std::lock_guard lock(mutex_);
  unpin(task.segments);
}

void RankMemory::abandoned(const StagedTask &task) {
  std::lock_guard lock(mutex_);
  for (const ByteRun run : task.hostHad)
    residency_.hostOnly(run);
  unpin(task.segments);
}

} // namespace streamap
