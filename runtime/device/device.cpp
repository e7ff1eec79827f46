// StreamMAP runtime: one device, whoever made it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/device.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace streamap {
namespace {

std::string nameOf(const DeviceProperties &properties, int number) {
  return "device " + std::to_string(number) + " (" + properties.name + ", " + describe(properties.uuid) + ")";
}

tl::unexpected<DeviceError> misuse(std::string text) {
  return deviceFailure(DeviceErrorKind::Misuse, std::move(text));
}

/// Bytes from the first to the last that a copy touches on one side; nothing when that leaves 64 bits.
std::optional<std::uint64_t> span(Bytes pitch, const CopyShape &shape) {
  if (shape.rows <= 1)
    return shape.width.value;
  std::uint64_t whole = 0;
  if (pitch < shape.width || __builtin_mul_overflow(pitch.value, shape.rows - 1, &whole) ||
      __builtin_add_overflow(whole, shape.width.value, &whole))
    return std::nullopt;
  return whole;
}

bool isEmpty(const CopyShape &shape) {
  return shape.rows == 0 || shape.width == Bytes{};
}

} // namespace

Device::Device(DeviceProperties properties, int number)
    : properties_(std::move(properties)), name_(nameOf(properties_, number)) {}

Device::~Device() = default;

// ---- Checks and records
// -----------------------------------------------------------------------------------------------------------

void Device::markLost(const std::string &why) {
  std::lock_guard lock(mutex_);
  if (!lost_.exchange(true, std::memory_order_acq_rel))
    lossReason_ = why;
}

std::string Device::lossReason() const {
  std::lock_guard lock(mutex_);
  return lossReason_;
}

DeviceResult<void> Device::ready() const {
  if (!isLost())
    return {};
  return deviceFailure(DeviceErrorKind::Lost, name_ + " is lost: " + lossReason());
}

/// Puts the device and what was wanted of it in front of an error, and remembers a loss.
template <class T> DeviceResult<T> Device::note(DeviceResult<T> result, const char *what) {
  if (result)
    return result;
  DeviceError error = std::move(result.error());
  if (error.kind == DeviceErrorKind::Lost)
    markLost(error.text.message);
  error.text = std::move(error.text).in(name_ + ": " + what);
  return tl::unexpected<DeviceError>(std::move(error));
}

DeviceResult<void> Device::checkHandle(HandleKind kind, std::uint64_t value, const char *what) const {
  if (auto fine = ready(); !fine)
    return fine;
  std::lock_guard lock(mutex_);
  if (handles_.contains({kind, value}))
    return {};
  return misuse(name_ + ": " + what + " that is not this device's, or no longer");
}

template <class Tag>
DeviceResult<StrongId<Tag, std::uint64_t>> Device::keep(HandleKind kind, DeviceResult<StrongId<Tag, std::uint64_t>> made,
                                                        std::uint64_t owner) {
  if (made) {
    std::lock_guard lock(mutex_);
    handles_[{kind, made->value}] = owner;
  }
  return made;
}

void Device::drop(HandleKind kind, std::uint64_t value) {
  std::lock_guard lock(mutex_);
  handles_.erase({kind, value});
  if (kind == HandleKind::Image) // its functions go with it
    std::erase_if(handles_,
                  [&](const auto &entry) { return entry.first.first == HandleKind::Function && entry.second == value; });
}

DeviceResult<void> Device::checkBytes(DevicePointer pointer, Bytes pitch, const CopyShape &shape) const {
  const auto bytes = span(pitch, shape);
  if (!bytes)
    return misuse(name_ + ": a copy whose rows overlap or leave the address space");
  std::lock_guard lock(mutex_);
  const auto behind = allocations_.upper_bound(pointer.value);
  if (behind != allocations_.begin()) {
    const auto &[start, size] = *std::prev(behind);
    const std::uint64_t offset = pointer.value - start;
    if (offset <= size.value && *bytes <= size.value - offset)
      return {};
  }
  return misuse(name_ + ": " + std::to_string(*bytes) + " bytes that do not lie in one allocation of the device");
}

DeviceResult<void> Device::checkShape(const LaunchShape &shape) const {
  const LaunchLimits &limits = properties_.limits;
  std::uint64_t threads = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (shape.grid[axis] == 0 || shape.block[axis] == 0)
      return misuse(name_ + ": a launch of no threads");
    if (shape.grid[axis] > limits.grid[axis] || shape.block[axis] > limits.block[axis])
      return misuse(name_ + ": a launch of " + std::to_string(shape.grid[axis]) + " blocks of " +
                    std::to_string(shape.block[axis]) + " threads, more than it takes");
    threads *= shape.block[axis];
  }
  if (threads > limits.threadsPerBlock)
    return misuse(name_ + ": " + std::to_string(threads) + " threads in a block, of at most " +
                  std::to_string(limits.threadsPerBlock));
  if (shape.shared > limits.sharedPerBlock)
    return misuse(name_ + ": " + describe(shape.shared) + " of shared memory for a block, of at most " +
                  describe(limits.sharedPerBlock));
  return {};
}

DeviceActivity Device::activity() const {
  std::lock_guard lock(mutex_);
  return activity_;
}

// ---- Memory
// -----------------------------------------------------------------------------------------------------------------------

DeviceResult<DevicePointer> Device::allocate(Bytes size) {
  if (auto fine = ready(); !fine)
    return tl::make_unexpected(fine.error());
  if (size == Bytes{})
    return misuse(name_ + ": an allocation of 0 bytes");
  auto pointer = note(allocateImpl(size), "allocating memory");
  if (pointer) {
    std::lock_guard lock(mutex_);
    allocations_[pointer->value] = size;
    ++activity_.allocations;
    activity_.allocated += size;
  }
  return pointer;
}

DeviceResult<void> Device::free(DevicePointer pointer) {
  Bytes size;
  {
    std::lock_guard lock(mutex_);
    const auto found = allocations_.find(pointer.value);
    if (found == allocations_.end())
      return misuse(name_ + ": memory is freed that is not allocated");
    size = found->second;
    allocations_.erase(found);
    activity_.allocated -= size;
  }
  return note(freeImpl(pointer, size), "freeing memory"); // also on a lost device: host resources go with it
}

DeviceResult<DeviceMemoryInfo> Device::memoryInfo() {
  if (auto fine = ready(); !fine)
    return tl::make_unexpected(fine.error());
  return note(memoryInfoImpl(), "asking for free memory");
}

DeviceResult<std::byte *> Device::allocatePinned(Bytes size) {
  if (auto fine = ready(); !fine)
    return tl::make_unexpected(fine.error());
  if (size == Bytes{})
    return misuse(name_ + ": an allocation of 0 bytes");
  auto memory = note(allocatePinnedImpl(size), "allocating host memory");
  if (memory) {
    std::lock_guard lock(mutex_);
    pinned_[*memory] = size;
  }
  return memory;
}

DeviceResult<void> Device::freePinned(std::byte *memory) {
  {
    std::lock_guard lock(mutex_);
    if (pinned_.erase(memory) == 0)
      return misuse(name_ + ": host memory is freed that is not allocated");
  }
  return note(freePinnedImpl(memory), "freeing host memory");
}

// ---- Queues and events
// ------------------------------------------------------------------------------------------------------------

DeviceResult<DeviceQueue> Device::createQueue() {
  if (auto fine = ready(); !fine)
    return tl::make_unexpected(fine.error());
  return keep(HandleKind::Queue, note(createQueueImpl(), "making a queue"));
}

DeviceResult<void> Device::destroyQueue(DeviceQueue queue) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine && !isLost())
    return fine;
  drop(HandleKind::Queue, queue.value);
  return note(destroyQueueImpl(queue), "destroying a queue");
}

DeviceResult<void> Device::finish(DeviceQueue queue) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine)
    return fine;
  return note(finishImpl(queue), "waiting for a queue");
}

void *Device::nativeQueue(DeviceQueue queue) {
  return checkHandle(HandleKind::Queue, queue.value, "a queue") ? nativeQueueImpl(queue) : nullptr;
}

DeviceResult<DeviceEvent> Device::createEvent() {
  if (auto fine = ready(); !fine)
    return tl::make_unexpected(fine.error());
  return keep(HandleKind::Event, note(createEventImpl(), "making an event"));
}

DeviceResult<void> Device::destroyEvent(DeviceEvent event) {
  if (auto fine = checkHandle(HandleKind::Event, event.value, "an event"); !fine && !isLost())
    return fine;
  drop(HandleKind::Event, event.value);
  return note(destroyEventImpl(event), "destroying an event");
}

DeviceResult<void> Device::record(DeviceQueue queue, DeviceEvent event) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine)
    return fine;
  if (auto fine = checkHandle(HandleKind::Event, event.value, "an event"); !fine)
    return fine;
  return note(recordImpl(queue, event), "recording an event");
}

DeviceResult<bool> Device::hasHappened(DeviceEvent event) {
  if (auto fine = checkHandle(HandleKind::Event, event.value, "an event"); !fine)
    return tl::make_unexpected(fine.error());
  return note(hasHappenedImpl(event), "asking for an event");
}

DeviceResult<void> Device::wait(DeviceEvent event) {
  if (auto fine = checkHandle(HandleKind::Event, event.value, "an event"); !fine)
    return fine;
  return note(waitImpl(event), "waiting for an event");
}

DeviceResult<void> Device::waitFor(DeviceQueue queue, DeviceEvent event) {
  return waitFor(queue, *this, event);
}

DeviceResult<void> Device::waitFor(DeviceQueue queue, Device &owner, DeviceEvent event) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine)
    return fine;
  if (auto fine = owner.checkHandle(HandleKind::Event, event.value, "an event"); !fine)
    return fine;
  if (owner.properties_.backend != properties_.backend)
    return misuse(name_ + ": a queue is to wait for an event of " + owner.name_ + ", which is of another kind");
  return note(waitForImpl(queue, owner, event), "making a queue wait");
}

DeviceResult<std::chrono::nanoseconds> Device::elapsed(DeviceEvent from, DeviceEvent to) {
  for (const DeviceEvent event : {from, to})
    if (auto fine = checkHandle(HandleKind::Event, event.value, "an event"); !fine)
      return tl::make_unexpected(fine.error());
  return note(elapsedImpl(from, to), "measuring time");
}

// ---- Copies
// -----------------------------------------------------------------------------------------------------------------------

DeviceResult<void> Device::copyToDevice(DeviceQueue queue, DevicePointer to, const void *from, const CopyShape &shape) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine || isEmpty(shape))
    return fine;
  if (auto fine = checkBytes(to, shape.toPitch, shape); !fine)
    return fine;
  if (!span(shape.fromPitch, shape))
    return misuse(name_ + ": a copy whose rows overlap or leave the address space");
  auto done = note(copyToDeviceImpl(queue, to, from, shape), "copying to the device");
  if (done) {
    std::lock_guard lock(mutex_);
    activity_.bytesToDevice += shape.width.value * shape.rows;
  }
  return done;
}

DeviceResult<void> Device::copyToHost(DeviceQueue queue, void *to, DevicePointer from, const CopyShape &shape) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine || isEmpty(shape))
    return fine;
  if (auto fine = checkBytes(from, shape.fromPitch, shape); !fine)
    return fine;
  if (!span(shape.toPitch, shape))
    return misuse(name_ + ": a copy whose rows overlap or leave the address space");
  auto done = note(copyToHostImpl(queue, to, from, shape), "copying from the device");
  if (done) {
    std::lock_guard lock(mutex_);
    activity_.bytesToHost += shape.width.value * shape.rows;
  }
  return done;
}

DeviceResult<void> Device::copyWithin(DeviceQueue queue, DevicePointer to, DevicePointer from, const CopyShape &shape) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine || isEmpty(shape))
    return fine;
  if (auto fine = checkBytes(to, shape.toPitch, shape); !fine)
    return fine;
  if (auto fine = checkBytes(from, shape.fromPitch, shape); !fine)
    return fine;
  auto done = note(copyWithinImpl(queue, to, from, shape), "copying on the device");
  if (done) {
    std::lock_guard lock(mutex_);
    activity_.bytesWithin += shape.width.value * shape.rows;
  }
  return done;
}

bool Device::canReach(const Device &peer) const {
  return &peer != this && peer.properties_.backend == properties_.backend && canReachImpl(peer);
}

DeviceResult<void> Device::copyFromPeer(DeviceQueue queue, DevicePointer to, Device &peer, DevicePointer from,
                                        const CopyShape &shape) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine || isEmpty(shape))
    return fine;
  if (!canReach(peer))
    return deviceFailure(DeviceErrorKind::Unsupported, name_ + " cannot read the memory of " + peer.name_);
  if (auto fine = peer.ready(); !fine)
    return fine;
  if (auto fine = checkBytes(to, shape.toPitch, shape); !fine)
    return fine;
  if (auto fine = peer.checkBytes(from, shape.fromPitch, shape); !fine)
    return fine;
  auto done = note(copyFromPeerImpl(queue, to, peer, from, shape), "copying from another device");
  if (done) {
    std::lock_guard lock(mutex_);
    activity_.bytesFromPeers += shape.width.value * shape.rows;
  }
  return done;
}

DeviceResult<void> Device::fill(DeviceQueue queue, DevicePointer to, std::uint8_t value, Bytes size) {
  const CopyShape shape{size};
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine || isEmpty(shape))
    return fine;
  if (auto fine = checkBytes(to, {}, shape); !fine)
    return fine;
  return note(fillImpl(queue, to, value, size), "filling memory");
}

// ---- Code
// -------------------------------------------------------------------------------------------------------------------------

DeviceResult<DeviceImage> Device::loadImage(const streamap_image &image) {
  if (auto fine = ready(); !fine)
    return tl::make_unexpected(fine.error());
  return keep(HandleKind::Image, note(loadImageImpl(image), "loading code"));
}

DeviceResult<void> Device::unloadImage(DeviceImage image) {
  if (auto fine = checkHandle(HandleKind::Image, image.value, "an image"); !fine && !isLost())
    return fine;
  drop(HandleKind::Image, image.value);
  return note(unloadImageImpl(image), "unloading code");
}

DeviceResult<DeviceFunction> Device::findFunction(DeviceImage image, const char *kernel) {
  if (auto fine = checkHandle(HandleKind::Image, image.value, "an image"); !fine)
    return tl::make_unexpected(fine.error());
  return keep(HandleKind::Function, note(findFunctionImpl(image, kernel), "looking for a kernel"), image.value);
}

DeviceResult<void> Device::launch(DeviceQueue queue, DeviceFunction function, const LaunchShape &shape,
                                  std::span<const KernelArgument> arguments) {
  if (auto fine = checkHandle(HandleKind::Queue, queue.value, "a queue"); !fine)
    return fine;
  if (auto fine = checkHandle(HandleKind::Function, function.value, "a kernel"); !fine)
    return fine;
  if (auto fine = checkShape(shape); !fine)
    return fine;
  auto done = note(launchImpl(queue, function, shape, arguments), "launching a kernel");
  if (done) {
    std::lock_guard lock(mutex_);
    ++activity_.launches;
  }
  return done;
}

DeviceResult<void> Device::probe() {
  if (auto fine = ready(); !fine)
    return fine;
  return note(probeImpl(), "asking whether it works");
}

} // namespace streamap
