// StreamMAP runtime: a device made of this machine's processor and memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/emulated/emulated_device.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "device/twin.h"

namespace streamap {
namespace {

std::byte *memoryAt(DevicePointer pointer) {
  return reinterpret_cast<std::byte *>(pointer.value); // NOLINT(performance-no-int-to-ptr)
}

void copyRows(void *to, const void *from, const CopyShape &shape) {
  const std::uint64_t toPitch = shape.rows > 1 ? shape.toPitch.value : 0, fromPitch = shape.rows > 1 ? shape.fromPitch.value : 0;
  for (std::uint64_t row = 0; row < shape.rows; ++row)
    std::memcpy(static_cast<std::byte *>(to) + row * toPitch, static_cast<const std::byte *>(from) + row * fromPitch,
                shape.width.value);
}

/// Arguments of one launch, kept until it has run.
class KeptArguments {
public:
  explicit KeptArguments(std::span<const KernelArgument> arguments) {
    std::vector<std::size_t> offsets;
    std::size_t end = 0;
    for (const KernelArgument &argument : arguments) {
      offsets.push_back(end);
      end += (argument.bytes + alignment - 1) / alignment * alignment;
    }
    bytes_.resize(end / alignment);
    auto *const first = reinterpret_cast<std::byte *>(bytes_.data());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      std::memcpy(first + offsets[k], arguments[k].value, arguments[k].bytes);
      pointers_.push_back(first + offsets[k]);
    }
  }
  void *const *pointers() const { return pointers_.data(); }

private:
  static constexpr std::size_t alignment = 16;
  struct alignas(alignment) Unit {
    std::byte bytes[alignment];
  };
  std::vector<Unit> bytes_;
  std::vector<void *> pointers_;
};

} // namespace

EmulatedDevice::EmulatedDevice(DeviceProperties properties, int number, const EmulationModel &model)
    : Device(std::move(properties), number), model_(model), memory_(Device::properties().memory) {}

EmulatedDevice::~EmulatedDevice() {
  std::map<std::uint64_t, std::shared_ptr<WorkQueue>> queues;
  {
    std::lock_guard lock(mutex_);
    queues.swap(queues_);
  }
  queues.clear(); // joins their threads
}

DeviceResult<void> EmulatedDevice::stillWorks() const {
  if (isLost())
    return deviceFailure(DeviceErrorKind::Lost, lossReason());
  return {};
}

// ---- Memory
// -----------------------------------------------------------------------------------------------------------------------

/// Like the real ones: what is queued may still use the memory.
DeviceResult<void> EmulatedDevice::freeImpl(DevicePointer pointer, Bytes) {
  finishAll();
  return memory_.free(pointer);
}

DeviceResult<DeviceMemoryInfo> EmulatedDevice::memoryInfoImpl() {
  return DeviceMemoryInfo{memory_.capacity() - memory_.used(), memory_.capacity()};
}

DeviceResult<std::byte *> EmulatedDevice::allocatePinnedImpl(Bytes size) {
  constexpr std::size_t alignment = 4096;
  void *const memory = std::aligned_alloc(alignment, (size.value + alignment - 1) / alignment * alignment);
  if (!memory)
    return deviceFailure(DeviceErrorKind::OutOfMemory, "this machine has no memory left");
  return static_cast<std::byte *>(memory);
}

DeviceResult<void> EmulatedDevice::freePinnedImpl(std::byte *memory) {
  finishAll();
  std::free(memory);
  return {};
}

// ---- Queues and events
// ------------------------------------------------------------------------------------------------------------

std::shared_ptr<WorkQueue> EmulatedDevice::queue(DeviceQueue handle) {
  std::lock_guard lock(mutex_);
  return queues_.at(handle.value);
}

std::shared_ptr<WorkEvent> EmulatedDevice::event(DeviceEvent handle) {
  std::lock_guard lock(mutex_);
  return events_.at(handle.value);
}

void EmulatedDevice::finishAll() {
  std::vector<std::shared_ptr<WorkQueue>> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto &[handle, queue] : queues_)
      all.push_back(queue);
  }
  for (const auto &queue : all)
    queue->finish();
}

DeviceResult<DeviceQueue> EmulatedDevice::createQueueImpl() {
  auto queue = std::make_shared<WorkQueue>();
  std::lock_guard lock(mutex_);
  queues_[++lastHandle_] = std::move(queue);
  return DeviceQueue{lastHandle_};
}

DeviceResult<void> EmulatedDevice::destroyQueueImpl(DeviceQueue handle) {
  std::shared_ptr<WorkQueue> gone; // ends without the lock
  std::lock_guard lock(mutex_);
  const auto found = queues_.find(handle.value);
  gone = std::move(found->second);
  queues_.erase(found);
  return {};
}

DeviceResult<void> EmulatedDevice::finishImpl(DeviceQueue handle) {
  queue(handle)->finish();
  return stillWorks();
}

DeviceResult<DeviceEvent> EmulatedDevice::createEventImpl() {
  std::lock_guard lock(mutex_);
  events_[++lastHandle_] = std::make_shared<WorkEvent>();
  return DeviceEvent{lastHandle_};
}

DeviceResult<void> EmulatedDevice::destroyEventImpl(DeviceEvent handle) {
  std::lock_guard lock(mutex_);
  events_.erase(handle.value);
  return {};
}

DeviceResult<void> EmulatedDevice::recordImpl(DeviceQueue handle, DeviceEvent eventHandle) {
  auto recorded = event(eventHandle);
  const std::uint64_t time = recorded->expect();
  queue(handle)->add([recorded = std::move(recorded), time] { recorded->reach(time); });
  return {};
}

DeviceResult<bool> EmulatedDevice::hasHappenedImpl(DeviceEvent handle) {
  if (auto fine = stillWorks(); !fine)
    return tl::make_unexpected(fine.error());
  return event(handle)->isReached();
}

DeviceResult<void> EmulatedDevice::waitImpl(DeviceEvent handle) {
  event(handle)->wait();
  return stillWorks();
}

DeviceResult<void> EmulatedDevice::waitForImpl(DeviceQueue handle, Device &owner, DeviceEvent eventHandle) {
  auto awaited = static_cast<EmulatedDevice &>(owner).event(eventHandle);
  const std::uint64_t time = awaited->expected(); // a later record is not meant
  queue(handle)->add([awaited = std::move(awaited), time] { awaited->waitUntil(time); });
  return {};
}

DeviceResult<std::chrono::nanoseconds> EmulatedDevice::elapsedImpl(DeviceEvent from, DeviceEvent to) {
  return event(to)->when() - event(from)->when();
}

// ---- Work
// -------------------------------------------------------------------------------------------------------------------------

/// Queues work that takes at least the modelled time. After a fault nothing runs any more.
void EmulatedDevice::addWork(DeviceQueue handle, Engine engine, std::chrono::nanoseconds duration, std::function<void()> work) {
  queue(handle)->add([this, engine, duration, work = std::move(work)] {
    if (isLost())
      return;
    if (model_.latency.count() > 0)
      std::this_thread::sleep_for(model_.latency);
    std::unique_lock<std::mutex> turn;
    if (duration.count() > 0)
      turn = std::unique_lock(engines_[static_cast<std::size_t>(engine)]);
    const auto end = std::chrono::steady_clock::now() + duration;
    try {
      work();
    } catch (const std::exception &e) {
      markLost(std::string("a kernel has thrown an exception: ") + e.what());
    } catch (...) {
      markLost("a kernel has thrown an exception");
    }
    if (duration.count() > 0)
      std::this_thread::sleep_until(end);
  });
}

void EmulatedDevice::addCopy(DeviceQueue handle, Engine engine, void *to, const void *from, const CopyShape &shape) {
  const double bytes = static_cast<double>(shape.width.value) * static_cast<double>(shape.rows);
  const std::chrono::nanoseconds duration(
      model_.bytesPerNs > 0 && engine != Engine::Compute ? static_cast<std::int64_t>(bytes / model_.bytesPerNs) : 0);
  addWork(handle, engine, duration, [to, from, shape] { copyRows(to, from, shape); });
}

DeviceResult<void> EmulatedDevice::copyToDeviceImpl(DeviceQueue handle, DevicePointer to, const void *from,
                                                    const CopyShape &shape) {
  addCopy(handle, Engine::ToDevice, memoryAt(to), from, shape);
  return {};
}

DeviceResult<void> EmulatedDevice::copyToHostImpl(DeviceQueue handle, void *to, DevicePointer from, const CopyShape &shape) {
  addCopy(handle, Engine::ToHost, to, memoryAt(from), shape);
  return {};
}

DeviceResult<void> EmulatedDevice::copyWithinImpl(DeviceQueue handle, DevicePointer to, DevicePointer from,
                                                  const CopyShape &shape) {
  addCopy(handle, Engine::Compute, memoryAt(to), memoryAt(from), shape);
  return {};
}

DeviceResult<void> EmulatedDevice::copyFromPeerImpl(DeviceQueue handle, DevicePointer to, Device &, DevicePointer from,
                                                    const CopyShape &shape) {
  addCopy(handle, Engine::ToDevice, memoryAt(to), memoryAt(from), shape);
  return {};
}

DeviceResult<void> EmulatedDevice::fillImpl(DeviceQueue handle, DevicePointer to, std::uint8_t value, Bytes size) {
  addWork(handle, Engine::Compute, {}, [to, value, size] { std::memset(memoryAt(to), value, size.value); });
  return {};
}

// ---- Code
// -------------------------------------------------------------------------------------------------------------------------

DeviceResult<DeviceImage> EmulatedDevice::loadImageImpl(const streamap_image &image) {
  if (image.form != STREAMAP_IMAGE_TWINS)
    return deviceFailure(DeviceErrorKind::BadImage, "an emulated device runs host twins only");
  std::lock_guard lock(mutex_);
  images_[++lastHandle_] = {static_cast<const streamap_kernel *>(image.data), image.size};
  return DeviceImage{lastHandle_};
}

DeviceResult<void> EmulatedDevice::unloadImageImpl(DeviceImage handle) {
  finishAll();
  std::lock_guard lock(mutex_);
  images_.erase(handle.value);
  return {};
}

DeviceResult<DeviceFunction> EmulatedDevice::findFunctionImpl(DeviceImage handle, const char *kernel) {
  std::lock_guard lock(mutex_);
  const Image &image = images_.at(handle.value);
  for (std::uint64_t k = 0; k < image.count; ++k)
    if (image.kernels[k].twin && std::strcmp(image.kernels[k].name, kernel) == 0) {
      functions_[++lastHandle_] = &image.kernels[k];
      return DeviceFunction{lastHandle_};
    }
  return deviceFailure(DeviceErrorKind::BadImage, std::string("the kernel ") + kernel + " has no host twin");
}

DeviceResult<void> EmulatedDevice::launchImpl(DeviceQueue handle, DeviceFunction function, const LaunchShape &shape,
                                              std::span<const KernelArgument> arguments) {
  const streamap_kernel *kernel = nullptr;
  bool breaks = false;
  {
    std::lock_guard lock(mutex_);
    kernel = functions_.at(function.value);
    breaks = ++launches_ == model_.faultAtLaunch;
  }
  if (arguments.size() != kernel->nargs)
    return deviceFailure(DeviceErrorKind::Misuse, std::string(kernel->name) + " takes " + std::to_string(kernel->nargs) +
                                                      " arguments, not " + std::to_string(arguments.size()));
  for (std::uint32_t k = 0; k < kernel->nargs; ++k)
    if (arguments[k].bytes != kernel->argument_sizes[k])
      return deviceFailure(DeviceErrorKind::Misuse,
                           std::string(kernel->name) + ": argument " + std::to_string(k) + " has the wrong size");
  const std::chrono::nanoseconds duration(
      model_.iterationsPerNs > 0 ? static_cast<std::int64_t>(static_cast<double>(shape.iterations) / model_.iterationsPerNs) : 0);
  addWork(handle, Engine::Compute, duration, [this, kernel, shape, breaks, kept = std::make_shared<KeptArguments>(arguments)] {
    if (breaks)
      return markLost("a kernel has touched memory that is not its own (an emulated fault)");
    runTwin(*kernel, shape, kept->pointers());
  });
  return {};
}

} // namespace streamap
