// StreamMAP runtime: the memories of a rank that has devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The head counts with one memory a rank. Here the rank keeps that promise: whoever reads on the host (a C task, a transfer that
// leaves, main) first has the bytes brought there, and whoever changes them there says so. What G tasks write stays on the device
// until then.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "data/mirror.h"
#include "device/caching_allocator.h"
#include "device/device.h"
#include "device/layout.h"
#include "device/residency.h"
#include "exec/device_code.h"

namespace streamap {

/// A device of this rank, and how much of its memory tasks may take.
struct OwnedDevice {
  std::unique_ptr<Device> device;
  Bytes budget;
};

/// A queue of a device that one thread uses, and an event to wait with.
struct DeviceLane {
  DeviceQueue queue;
  DeviceEvent event;
};

/// A G task's stretches on a device, pinned there.
struct StagedTask {
  int device = 0;
  std::vector<SegmentId> segments;      ///< by stretch of the layout
  std::vector<DevicePointer> addresses; ///< of each stretch's first byte
  RunSet hostHad;                       ///< what the task writes, where the host had the old contents
};

/// Thread-safe.
class RankMemory {
public:
  RankMemory(Mirror &mirror, std::vector<OwnedDevice> devices);
  ~RankMemory();
  RankMemory(const RankMemory &) = delete;
  RankMemory &operator=(const RankMemory &) = delete;

  int devices() const { return static_cast<int>(units_.size()); }
  Device &device(int number) const { return *units_[static_cast<std::size_t>(number)]->device; }
  Bytes budget(int number) const { return units_[static_cast<std::size_t>(number)]->allocator.budget(); }
  DeviceCode &code(int number) { return units_[static_cast<std::size_t>(number)]->code; }
  /// For a thread of its own; lives as long as the device.
  DeviceResult<DeviceLane> makeLane(int device);

  // ---- The host's side
  // --------------------------------------------------------------------------------------------------------------
  /// Whether bringToHost(runs) would have nothing to do.
  bool isOnHost(std::span<const ByteRun> runs) const;
  /// Returns when the host's memory holds all of the runs (a RunSet). An error when a device is lost that alone had some of it.
  Result<void> bringToHost(std::span<const ByteRun> runs);
  /// The host's bytes are about to change, or have no value any more: what devices hold of the runs is stale. Returns when no
  /// copy into them is under way.
  void hostChanges(std::span<const ByteRun> runs);

  // ---- The devices' side
  // ------------------------------------------------------------------------------------------------------------
  /// Makes room for a task, brings what it reads, and keeps all of it there until done() or abandoned(). From now on the device
  /// alone has what the task writes. Waits while other tasks have the memory. OutOfMemory: the device can never hold it, with
  /// both numbers. Lost: it, or one that alone had something of it, is lost.
  DeviceResult<StagedTask> stage(int device, const DeviceLane &lane, const DeviceLayout &layout);
  /// The task has run.
  void done(const StagedTask &task);
  /// It has not, or nobody knows how far: what it was to write is what the host had of it.
  void abandoned(const StagedTask &task);

  struct Ledger {
    Bytes reserved, allocated, mostReserved, budget;
  };
  /// Of one device, for counters and tests.
  Ledger ledger(int device);

private:
  class Source final : public MemorySource {
  public:
    explicit Source(Device &device) : device_(device) {}
    DeviceResult<DevicePointer> reserve(Bytes size) override { return device_.allocate(size); }
    DeviceResult<void> giveBack(DevicePointer pointer) override { return device_.free(pointer); }

  private:
    Device &device_;
  };
  struct Unit {
    explicit Unit(OwnedDevice owned);
    std::unique_ptr<Device> device;
    DeviceCode code;
    Source source;
    std::mutex admission; ///< one task at a time makes room; guards the allocator
    CachingAllocator allocator;
    std::mutex service; ///< guards the lane for copies to the host
    DeviceLane lane;
  };
  /// A copy under way.
  struct Pending {
    SegmentId to;
    ByteRun run;
  };
  /// A copy to be made: addresses are taken under the lock.
  struct Step {
    int fromDevice = -1, toDevice = -1; ///< -1: the host
    std::uint64_t from = 0, to = 0;     ///< device addresses
    HomeAddress byte = 0;               ///< first byte, for the host's side
    CopyShape shape;
  };
  using Lock = std::unique_lock<std::mutex>;

  Unit &unit(int number) { return *units_[static_cast<std::size_t>(number)]; }
  bool isPending(SegmentId to, std::span<const ByteRun> runs) const;
  bool isMoving(std::span<const ByteRun> runs) const;
  DeviceResult<void> fill(Lock &lock, SegmentId to, std::span<const ByteRun> runs, const DeviceLane *lane);
  DeviceResult<void> copyAll(Lock &lock, SegmentId to, const std::vector<Residency::Source> &sources, const DeviceLane *lane);
  std::vector<Step> stepsFor(SegmentId to, const std::vector<Residency::Source> &sources) const;
  DeviceResult<void> copyToHost(std::span<const Step> steps);
  DeviceResult<void> copyToDevice(int device, std::span<const Step> steps, const DeviceLane &lane);
  RunSet unreachable(SegmentId to, const std::vector<Residency::Source> &sources) const;
  DeviceResult<bool> evictOne(Lock &lock, int device);
  DeviceResult<void> evictAll(Lock &lock, int device);
  DeviceResult<DevicePointer> makeRoom(Lock &lock, int device, Bytes size, std::span<const SegmentId> ours);
  DeviceResult<void> placeAll(Lock &lock, const DeviceLayout &layout, StagedTask &staged);
  void claimWrites(Lock &lock, const DeviceLayout &layout, StagedTask &staged);
  DeviceResult<SegmentId> place(Lock &lock, int device, ByteRun hull, std::span<const SegmentId> ours);
  void unpin(std::span<const SegmentId> segments);

  Mirror &mirror_;
  std::vector<std::unique_ptr<Unit>> units_;

  mutable std::mutex mutex_; ///< guards everything below; not held while devices work
  std::condition_variable changed_;
  Residency residency_;
  std::vector<Pending> pending_;
  std::atomic<bool> occupied_{false}; ///< something may be on a device
};

} // namespace streamap
