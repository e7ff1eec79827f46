// StreamMAP runtime: an NVIDIA device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "device/cuda/driver.h"
#include "device/cuda/pinned_ranges.h"
#include "device/cuda/staged_copies.h"
#include "device/device.h"
#include "device/nvml/nvml.h"

namespace streamap::cuda {

/// What the devices of a process have in common.
struct CudaProcess {
  std::shared_ptr<const Driver> driver;
  std::shared_ptr<const nvml::Library> nvml; ///< null where there is none
  PinnedRanges pinned;
  std::size_t pieceBytes = std::size_t{4} << 20; ///< of copies that go through pinned memory
};

/// Works in the device's primary context, which the CUDA runtime and its libraries use too; it is current only inside calls.
/// Thread-safe, as Device says.
class CudaDevice final : public Device {
public:
  /// Retains the primary context. An error where the device cannot be used: exclusive mode, broken.
  static DeviceResult<std::unique_ptr<CudaDevice>> open(std::shared_ptr<CudaProcess> process, DeviceProperties properties,
                                                        int number);
  /// Finishes what is queued, frees what is left, and gives the context back.
  ~CudaDevice() override;

private:
  /// A stream, and what copies from and to memory that is not pinned need beside it.
  struct Queue {
    CUstream stream = nullptr;
    std::mutex mutex; ///< a staged copy is many calls, which must follow each other
    std::unique_ptr<StagedCopies> staged;
  };
  struct Kernel {
    CUfunction function = nullptr;
    unsigned sharedAllowed = 0; ///< bytes of dynamic shared memory that it may have so far
    std::mutex mutex;
  };

  CudaDevice(std::shared_ptr<CudaProcess> process, DeviceProperties properties, int number, CUcontext context);

  DeviceResult<DevicePointer> allocateImpl(Bytes size) override;
  DeviceResult<void> freeImpl(DevicePointer pointer, Bytes size) override;
  DeviceResult<DeviceMemoryInfo> memoryInfoImpl() override;
  DeviceResult<std::byte *> allocatePinnedImpl(Bytes size) override;
  DeviceResult<void> freePinnedImpl(std::byte *memory) override;
  DeviceResult<DeviceQueue> createQueueImpl() override;
  DeviceResult<void> destroyQueueImpl(DeviceQueue queue) override;
  DeviceResult<void> finishImpl(DeviceQueue queue) override;
  /// The CUstream. The device is current to the calling thread from then on, as launches through the CUDA runtime need it.
  void *nativeQueueImpl(DeviceQueue queue) override;
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
  bool canReachImpl(const Device &peer) const override;
  DeviceResult<void> fillImpl(DeviceQueue queue, DevicePointer to, std::uint8_t value, Bytes size) override;
  DeviceResult<DeviceImage> loadImageImpl(const streamap_image &image) override;
  DeviceResult<void> unloadImageImpl(DeviceImage image) override;
  DeviceResult<DeviceFunction> findFunctionImpl(DeviceImage image, const char *kernel) override;
  DeviceResult<void> launchImpl(DeviceQueue queue, DeviceFunction function, const LaunchShape &shape,
                                std::span<const KernelArgument> arguments) override;
  DeviceResult<void> probeImpl() override;

  /// Runs \p body, which gives a DeviceResult, with the context current.
  template <class Body> auto inContext(Body &&body) -> decltype(body());
  DeviceResult<void> copyPinned(const Queue &queue, const CUDA_MEMCPY2D &copy);
  DeviceResult<void> enablePeer(const CudaDevice &peer);
  CUdevice ordinal() const { return properties().ordinal->value; }
  const Driver &driver() const { return *process_->driver; }

  const std::shared_ptr<CudaProcess> process_;
  const CUcontext context_;
  std::mutex mutex_; ///< of the sets; never held in a call that may wait
  std::map<Queue *, std::unique_ptr<Queue>> queues_;
  std::map<CUmodule, std::map<Kernel *, std::unique_ptr<Kernel>>> kernels_;
  std::set<CUevent> events_;
  std::set<CUdeviceptr> memory_;
  std::set<std::byte *> pinned_;
  std::set<const CudaDevice *> peers_; ///< whose memory ours can reach directly
};

} // namespace streamap::cuda
