// StreamMAP runtime: a device made of this machine's processor and memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It behaves as a GPU does: memory of its own and of a set size, queues that run by themselves and in order, kernels that cannot
// see the host's data, errors that come late and stay. Kernels run as their host twins.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/work_queue.h"
#include "device/device.h"
#include "device/emulated/guarded_memory.h"
#include "device/emulated/work_event.h"

namespace streamap {

/// What the emulation pretends beyond the properties. Zero: whatever it takes.
struct EmulationModel {
  double iterationsPerNs = 0;         ///< of a kernel's loop, on the whole device
  double bytesPerNs = 0;              ///< of each direction between host and device
  std::chrono::nanoseconds latency{}; ///< from a launch or copy to its start
  std::uint64_t faultAtLaunch = 0;    ///< the launch with this number, from 1, breaks the device; 0: none
};

class EmulatedDevice final : public Device {
public:
  EmulatedDevice(DeviceProperties properties, int number, const EmulationModel &model);
  /// Does what is queued first.
  ~EmulatedDevice() override;

private:
  struct Image {
    const streamap_kernel *kernels = nullptr;
    std::uint64_t count = 0;
  };

  DeviceResult<DevicePointer> allocateImpl(Bytes size) override { return memory_.allocate(size); }
  DeviceResult<void> freeImpl(DevicePointer pointer, Bytes size) override;
  DeviceResult<DeviceMemoryInfo> memoryInfoImpl() override;
  DeviceResult<std::byte *> allocatePinnedImpl(Bytes size) override;
  DeviceResult<void> freePinnedImpl(std::byte *memory) override;
  DeviceResult<DeviceQueue> createQueueImpl() override;
  DeviceResult<void> destroyQueueImpl(DeviceQueue queue) override;
  DeviceResult<void> finishImpl(DeviceQueue queue) override;
  DeviceResult<DeviceEvent> createEventImpl() override;
  DeviceResult<void> destroyEventImpl(DeviceEvent event) override;
  DeviceResult<void> recordImpl(DeviceQueue queue, DeviceEvent event) override;
  DeviceResult<bool> hasHappenedImpl(DeviceEvent event) override;
  DeviceResult<void> waitImpl(DeviceEvent event) override;
  DeviceResult<void> waitForImpl(DeviceQueue queue, Device &owner, DeviceEvent event) override;
  DeviceResult<std::chrono::nanoseconds> elapsedImpl(DeviceEvent from, DeviceEvent to) override;
  DeviceResult<void> copyToDeviceImpl(DeviceQueue queue, DevicePointer to, const void *from, const CopyShape &shape) override;
  DeviceResult<void> copyToHostImpl(DeviceQueue queue, void *to, DevicePointer from, const CopyShape &shape) override;
  DeviceResult<void> copyWithinImpl(DeviceQueue queue, DevicePointer to, DevicePointer from, const CopyShape &shape) override;
  DeviceResult<void> copyFromPeerImpl(DeviceQueue queue, DevicePointer to, Device &peer, DevicePointer from,
                                      const CopyShape &shape) override;
  bool canReachImpl(const Device &) const override { return true; }
  DeviceResult<void> fillImpl(DeviceQueue queue, DevicePointer to, std::uint8_t value, Bytes size) override;
  DeviceResult<DeviceImage> loadImageImpl(const streamap_image &image) override;
  DeviceResult<void> unloadImageImpl(DeviceImage image) override;
  DeviceResult<DeviceFunction> findFunctionImpl(DeviceImage image, const char *kernel) override;
  DeviceResult<void> launchImpl(DeviceQueue queue, DeviceFunction function, const LaunchShape &shape,
                                std::span<const KernelArgument> arguments) override;
  DeviceResult<void> probeImpl() override { return {}; }

  /// A shared resource that one copy or kernel uses at a time, where time is modelled.
  enum class Engine { Compute, ToDevice, ToHost };
  void addCopy(DeviceQueue queue, Engine engine, void *to, const void *from, const CopyShape &shape);
  void addWork(DeviceQueue queue, Engine engine, std::chrono::nanoseconds duration, std::function<void()> work);
  std::shared_ptr<WorkQueue> queue(DeviceQueue handle);
  std::shared_ptr<WorkEvent> event(DeviceEvent handle);
  void finishAll();
  DeviceResult<void> stillWorks() const;

  const EmulationModel model_;
  GuardedMemory memory_;
  std::mutex engines_[3];

  std::mutex mutex_; ///< guards everything below
  std::uint64_t lastHandle_ = 0;
  std::uint64_t launches_ = 0;
  std::map<std::uint64_t, std::shared_ptr<WorkEvent>> events_;
  std::map<std::uint64_t, Image> images_;
  std::map<std::uint64_t, const streamap_kernel *> functions_;
  std::map<std::uint64_t, std::shared_ptr<WorkQueue>> queues_; ///< last: their work uses all that is above
};

} // namespace streamap
