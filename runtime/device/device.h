// StreamMAP runtime: one device, whoever made it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public calls are not virtual: they check what they are given, refuse everything once the device is lost, record what was
// done, and then call the backend's ...Impl. So a backend holds only what differs between vendors, and all of them are checked
// alike.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "device/device_error.h"
#include "device/device_ids.h"
#include "device/properties.h"
#include "streamap/abi.h"

namespace streamap {

/// What is copied: `rows` rows of `width` bytes. With one row the pitches mean nothing.
struct CopyShape {
  Bytes width;
  std::uint64_t rows = 1;
  Bytes toPitch, fromPitch; ///< from the start of one row to the next; at least `width` each
};

/// How many threads run a kernel.
struct LaunchShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1};  ///< blocks
  std::array<std::uint32_t, 3> block{1, 1, 1}; ///< threads of one block
  Bytes shared;                                ///< dynamic shared memory of a block
  std::uint64_t iterations = 0;                ///< of the loop that the kernel runs: a hint for modelled time; 0: not known
};

/// One argument of a kernel: its bytes are copied before launch() returns.
struct KernelArgument {
  const void *value = nullptr;
  std::uint32_t bytes = 0;
};

struct DeviceMemoryInfo {
  Bytes free; ///< for anybody who uses the device
  Bytes total;
};

/// What was asked of a device so far.
struct DeviceActivity {
  std::uint64_t launches = 0;
  std::uint64_t bytesToDevice = 0, bytesToHost = 0, bytesWithin = 0, bytesFromPeers = 0;
  std::uint64_t allocations = 0;
  Bytes allocated; ///< now
};

/// Thread-safe: any call from any thread, also on the same queue; then the order is that of the calls. Asynchronous calls
/// (copies, fill, launch, record, waitFor) return when the work is queued; an error of the work itself comes out of a later call.
/// Memory and pinned memory are freed, and queues, events and images destroyed, by the caller; what is left is freed with the
/// device. Destroying one that is still in use waits for its work.
class Device {
public:
  virtual ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const DeviceProperties &properties() const { return properties_; }
  /// "device 0 (NVIDIA H200, GPU-…)" as messages call it. The number is this rank's.
  const std::string &name() const { return name_; }

  // ---- Memory
  // ---------------------------------------------------------------------------------------------------------------------
  /// At least 256 bytes aligned. 0 bytes is Misuse. OutOfMemory leaves everything as it was.
  DeviceResult<DevicePointer> allocate(Bytes size);
  /// Waits for the work that was queued before, unless the device is lost.
  DeviceResult<void> free(DevicePointer pointer);
  DeviceResult<DeviceMemoryInfo> memoryInfo();
  /// Host memory that copies are fastest from and to, and truly asynchronous.
  DeviceResult<std::byte *> allocatePinned(Bytes size);
  DeviceResult<void> freePinned(std::byte *memory);

  // ---- Queues and events
  // ----------------------------------------------------------------------------------------------------------
  DeviceResult<DeviceQueue> createQueue();
  DeviceResult<void> destroyQueue(DeviceQueue queue);
  /// Waits until all work of the queue is done; gives the first error of that work.
  DeviceResult<void> finish(DeviceQueue queue);
  /// The vendor's own handle (a CUstream), for code that brings its own launches; null where there is none.
  void *nativeQueue(DeviceQueue queue);

  DeviceResult<DeviceEvent> createEvent();
  DeviceResult<void> destroyEvent(DeviceEvent event);
  /// The event happens when all work that is in the queue now is done. An event may be recorded again; waits mean the last
  /// record.
  DeviceResult<void> record(DeviceQueue queue, DeviceEvent event);
  /// Whether it has happened; true for one that was never recorded.
  DeviceResult<bool> hasHappened(DeviceEvent event);
  /// Blocks the calling thread, without burning its core, until it has happened.
  DeviceResult<void> wait(DeviceEvent event);
  /// What is queued from now on waits for an event of this device, or of \p owner of the same backend.
  DeviceResult<void> waitFor(DeviceQueue queue, DeviceEvent event);
  DeviceResult<void> waitFor(DeviceQueue queue, Device &owner, DeviceEvent event);
  /// Time from one event to the other, both recorded and happened.
  DeviceResult<std::chrono::nanoseconds> elapsed(DeviceEvent from, DeviceEvent to);

  // ---- Copies
  // ---------------------------------------------------------------------------------------------------------------------
  /// Host memory of any kind; it must stay, and stay unchanged, until the copy is done (an event behind it has happened). Device
  /// memory must lie within one allocation. 0 bytes or rows: nothing is queued.
  DeviceResult<void> copyToDevice(DeviceQueue queue, DevicePointer to, const void *from, const CopyShape &shape);
  DeviceResult<void> copyToHost(DeviceQueue queue, void *to, DevicePointer from, const CopyShape &shape);
  /// Both on this device. The two must not overlap.
  DeviceResult<void> copyWithin(DeviceQueue queue, DevicePointer to, DevicePointer from, const CopyShape &shape);
  /// From another device's memory into this one's, in this one's queue. Unsupported unless canReach(peer).
  DeviceResult<void> copyFromPeer(DeviceQueue queue, DevicePointer to, Device &peer, DevicePointer from, const CopyShape &shape);
  bool canReach(const Device &peer) const;
  DeviceResult<void> fill(DeviceQueue queue, DevicePointer to, std::uint8_t value, Bytes size);

  // ---- Code
  // -----------------------------------------------------------------------------------------------------------------------
  /// \p image stays until the image is unloaded. BadImage when it cannot run here.
  DeviceResult<DeviceImage> loadImage(const streamap_image &image);
  DeviceResult<void> unloadImage(DeviceImage image);
  /// BadImage when the image has no such kernel.
  DeviceResult<DeviceFunction> findFunction(DeviceImage image, const char *kernel);
  /// The arguments' sizes must be the kernel's. Misuse when the shape is beyond the limits.
  DeviceResult<void> launch(DeviceQueue queue, DeviceFunction function, const LaunchShape &shape,
                            std::span<const KernelArgument> arguments);

  // ---- Health
  // ---------------------------------------------------------------------------------------------------------------------
  bool isLost() const { return lost_.load(std::memory_order_acquire); }
  /// Why it is lost; empty while it is not.
  std::string lossReason() const;
  /// Asks the device whether it still works. An error is Lost.
  DeviceResult<void> probe();

  DeviceActivity activity() const;

protected:
  /// \p number: this rank's number for it, for messages.
  Device(DeviceProperties properties, int number);

  /// For a backend's threads: work has failed in a way that the device does not survive. The first reason stays.
  void markLost(const std::string &why);

  // What a backend provides. Handles and addresses have been checked; the device was not lost a moment ago. An error of kind Lost
  // marks the device.
  virtual DeviceResult<DevicePointer> allocateImpl(Bytes size) = 0;
  virtual DeviceResult<void> freeImpl(DevicePointer pointer, Bytes size) = 0;
  virtual DeviceResult<DeviceMemoryInfo> memoryInfoImpl() = 0;
  virtual DeviceResult<std::byte *> allocatePinnedImpl(Bytes size) = 0;
  virtual DeviceResult<void> freePinnedImpl(std::byte *memory) = 0;
  virtual DeviceResult<DeviceQueue> createQueueImpl() = 0;
  virtual DeviceResult<void> destroyQueueImpl(DeviceQueue queue) = 0;
  virtual DeviceResult<void> finishImpl(DeviceQueue queue) = 0;
  virtual void *nativeQueueImpl(DeviceQueue) { return nullptr; }
  virtual DeviceResult<DeviceEvent> createEventImpl() = 0;
  virtual DeviceResult<void> destroyEventImpl(DeviceEvent event) = 0;
  virtual DeviceResult<void> recordImpl(DeviceQueue queue, DeviceEvent event) = 0;
  virtual DeviceResult<bool> hasHappenedImpl(DeviceEvent event) = 0;
  virtual DeviceResult<void> waitImpl(DeviceEvent event) = 0;
  /// \p owner is this device or another one of the same backend.
  virtual DeviceResult<void> waitForImpl(DeviceQueue queue, Device &owner, DeviceEvent event) = 0;
  virtual DeviceResult<std::chrono::nanoseconds> elapsedImpl(DeviceEvent from, DeviceEvent to) = 0;
  virtual DeviceResult<void> copyToDeviceImpl(DeviceQueue queue, DevicePointer to, const void *from, const CopyShape &shape) = 0;
  virtual DeviceResult<void> copyToHostImpl(DeviceQueue queue, void *to, DevicePointer from, const CopyShape &shape) = 0;
  virtual DeviceResult<void> copyWithinImpl(DeviceQueue queue, DevicePointer to, DevicePointer from, const CopyShape &shape) = 0;
  virtual DeviceResult<void> copyFromPeerImpl(DeviceQueue queue, DevicePointer to, Device &peer, DevicePointer from,
                                              const CopyShape &shape) = 0;
  /// Only asked about devices of the same backend.
  virtual bool canReachImpl(const Device &peer) const = 0;
  virtual DeviceResult<void> fillImpl(DeviceQueue queue, DevicePointer to, std::uint8_t value, Bytes size) = 0;
  virtual DeviceResult<DeviceImage> loadImageImpl(const streamap_image &image) = 0;
  virtual DeviceResult<void> unloadImageImpl(DeviceImage image) = 0;
  virtual DeviceResult<DeviceFunction> findFunctionImpl(DeviceImage image, const char *kernel) = 0;
  virtual DeviceResult<void> launchImpl(DeviceQueue queue, DeviceFunction function, const LaunchShape &shape,
                                        std::span<const KernelArgument> arguments) = 0;
  virtual DeviceResult<void> probeImpl() = 0;

private:
  enum class HandleKind : std::uint8_t { Queue, Event, Image, Function };

  template <class T> DeviceResult<T> note(DeviceResult<T> result, const char *what);
  DeviceResult<void> ready() const;
  DeviceResult<void> checkHandle(HandleKind kind, std::uint64_t value, const char *what) const;
  DeviceResult<void> checkBytes(DevicePointer pointer, Bytes pitch, const CopyShape &shape) const;
  DeviceResult<void> checkShape(const LaunchShape &shape) const;
  template <class Tag>
  DeviceResult<StrongId<Tag, std::uint64_t>> keep(HandleKind kind, DeviceResult<StrongId<Tag, std::uint64_t>> made,
                                                  std::uint64_t owner = 0);
  void drop(HandleKind kind, std::uint64_t value);

  const DeviceProperties properties_;
  const std::string name_;
  std::atomic<bool> lost_{false};

  mutable std::mutex mutex_; ///< guards everything below; never held while an ...Impl runs
  std::string lossReason_;
  std::map<std::uint64_t, Bytes> allocations_; ///< by address
  std::map<const std::byte *, Bytes> pinned_;
  std::map<std::pair<HandleKind, std::uint64_t>, std::uint64_t> handles_; ///< live ones -> owner
  DeviceActivity activity_;
};

} // namespace streamap
