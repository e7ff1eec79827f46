// StreamMAP runtime: the host itself as a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/host/backend.h"

#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "device/options.h"
#include "device/twin.h"

namespace streamap {
namespace {

constexpr std::align_val_t alignment{4096};

std::byte *memoryAt(DevicePointer pointer) {
  return reinterpret_cast<std::byte *>(pointer.value); // NOLINT(performance-no-int-to-ptr)
}

/// Queues and events are numbers without anything behind them: all that was asked for has been done.
class HostDevice final : public Device {
public:
  HostDevice(DeviceProperties properties, int number) : Device(std::move(properties), number) {}
  ~HostDevice() override {
    for (const auto &[address, size] : buffers_)
      ::operator delete(memoryAt(DevicePointer{address}), alignment);
  }

private:
  DeviceResult<DevicePointer> allocateImpl(Bytes size) override {
    std::lock_guard lock(mutex_);
    void *const memory = size <= properties().memory - used_ ? ::operator new(size.value, alignment, std::nothrow) : nullptr;
    if (!memory)
      return deviceFailure(DeviceErrorKind::OutOfMemory, "no " + describe(size) + " of memory left");
    used_ += size;
    buffers_[reinterpret_cast<std::uint64_t>(memory)] = size;
    return DevicePointer{reinterpret_cast<std::uint64_t>(memory)};
  }
  DeviceResult<void> freeImpl(DevicePointer pointer, Bytes size) override {
    std::lock_guard lock(mutex_);
    ::operator delete(memoryAt(pointer), alignment);
    buffers_.erase(pointer.value);
    used_ -= size;
    return {};
  }
  DeviceResult<DeviceMemoryInfo> memoryInfoImpl() override {
    std::lock_guard lock(mutex_);
    return DeviceMemoryInfo{properties().memory - used_, properties().memory};
  }
  DeviceResult<std::byte *> allocatePinnedImpl(Bytes size) override {
    return static_cast<std::byte *>(::operator new(size.value, alignment));
  }
  DeviceResult<void> freePinnedImpl(std::byte *memory) override {
    ::operator delete(memory, alignment);
    return {};
  }

  DeviceResult<DeviceQueue> createQueueImpl() override { return DeviceQueue{nextHandle()}; }
  DeviceResult<void> destroyQueueImpl(DeviceQueue) override { return {}; }
  DeviceResult<void> finishImpl(DeviceQueue) override { return {}; }
  DeviceResult<DeviceEvent> createEventImpl() override { return DeviceEvent{nextHandle()}; }
  DeviceResult<void> destroyEventImpl(DeviceEvent event) override {
    std::lock_guard lock(mutex_);
    recorded_.erase(event.value);
    return {};
  }
  DeviceResult<void> recordImpl(DeviceQueue, DeviceEvent event) override {
    std::lock_guard lock(mutex_);
    recorded_[event.value] = std::chrono::steady_clock::now();
    return {};
  }
  DeviceResult<bool> hasHappenedImpl(DeviceEvent) override { return true; }
  DeviceResult<void> waitImpl(DeviceEvent) override { return {}; }
  DeviceResult<void> waitForImpl(DeviceQueue, Device &, DeviceEvent) override { return {}; }
  DeviceResult<std::chrono::nanoseconds> elapsedImpl(DeviceEvent from, DeviceEvent to) override {
    std::lock_guard lock(mutex_);
    return recorded_[to.value] - recorded_[from.value];
  }

  DeviceResult<void> copy(void *to, const void *from, const CopyShape &shape) {
    for (std::uint64_t row = 0; row < shape.rows; ++row)
      std::memcpy(static_cast<std::byte *>(to) + row * shape.toPitch.value,
                  static_cast<const std::byte *>(from) + row * shape.fromPitch.value, shape.width.value);
    return {};
  }
  DeviceResult<void> copyToDeviceImpl(DeviceQueue, DevicePointer to, const void *from, const CopyShape &shape) override {
    return copy(memoryAt(to), from, shape);
  }
  DeviceResult<void> copyToHostImpl(DeviceQueue, void *to, DevicePointer from, const CopyShape &shape) override {
    return copy(to, memoryAt(from), shape);
  }
  DeviceResult<void> copyWithinImpl(DeviceQueue, DevicePointer to, DevicePointer from, const CopyShape &shape) override {
    return copy(memoryAt(to), memoryAt(from), shape);
  }
  DeviceResult<void> copyFromPeerImpl(DeviceQueue, DevicePointer to, Device &, DevicePointer from,
                                      const CopyShape &shape) override {
    return copy(memoryAt(to), memoryAt(from), shape);
  }
  bool canReachImpl(const Device &) const override { return true; }
  DeviceResult<void> fillImpl(DeviceQueue, DevicePointer to, std::uint8_t value, Bytes size) override {
    std::memset(memoryAt(to), value, size.value);
    return {};
  }

  DeviceResult<DeviceImage> loadImageImpl(const streamap_image &image) override {
    if (image.form != STREAMAP_IMAGE_TWINS)
      return deviceFailure(DeviceErrorKind::BadImage, "the host runs host twins only");
    std::lock_guard lock(mutex_);
    images_[++lastHandle_] = &image;
    return DeviceImage{lastHandle_};
  }
  DeviceResult<void> unloadImageImpl(DeviceImage) override { return {}; }
  DeviceResult<DeviceFunction> findFunctionImpl(DeviceImage handle, const char *name) override {
    std::lock_guard lock(mutex_);
    const streamap_image &image = *images_.at(handle.value);
    const auto *const kernels = static_cast<const streamap_kernel *>(image.data);
    for (std::uint64_t k = 0; k < image.size; ++k)
      if (kernels[k].twin && std::strcmp(kernels[k].name, name) == 0) {
        functions_[++lastHandle_] = &kernels[k];
        return DeviceFunction{lastHandle_};
      }
    return deviceFailure(DeviceErrorKind::BadImage, std::string("the kernel ") + name + " has no host twin");
  }
  DeviceResult<void> launchImpl(DeviceQueue, DeviceFunction function, const LaunchShape &shape,
                                std::span<const KernelArgument> arguments) override {
    const streamap_kernel *kernel = nullptr;
    {
      std::lock_guard lock(mutex_);
      kernel = functions_.at(function.value);
    }
    if (arguments.size() != kernel->nargs)
      return deviceFailure(DeviceErrorKind::Misuse, std::string(kernel->name) + " takes " + std::to_string(kernel->nargs) +
                                                        " arguments, not " + std::to_string(arguments.size()));
    std::vector<void *> pointers;
    for (const KernelArgument &argument : arguments)
      pointers.push_back(const_cast<void *>(argument.value));
    runTwin(*kernel, shape, pointers.data());
    return {};
  }
  DeviceResult<void> probeImpl() override { return {}; }

  std::uint64_t nextHandle() {
    std::lock_guard lock(mutex_);
    return ++lastHandle_;
  }

  std::mutex mutex_;
  Bytes used_;
  std::uint64_t lastHandle_ = 0;
  std::map<std::uint64_t, Bytes> buffers_;
  std::map<std::uint64_t, std::chrono::steady_clock::time_point> recorded_;
  std::map<std::uint64_t, const streamap_image *> images_;
  std::map<std::uint64_t, const streamap_kernel *> functions_;
};

class HostBackend final : public Backend {
public:
  HostBackend(int count, const BackendContext &context) {
    const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)),
               page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    for (int k = 0; k < count; ++k) {
      DeviceProperties properties;
      properties.backend = properties.vendor = "host";
      properties.name = "host processor";
      properties.uuid = uuidFromText("host/" + context.host + "/" + std::to_string(context.rank) + "/" +
                                     std::to_string(context.part) + "/" + std::to_string(k));
      properties.memory = Bytes{pages * page};
      properties.copiesOverlapKernels = false;
      properties.multiprocessors = 1;
      devices_.push_back(std::move(properties));
    }
  }

  Discovery discover() override { return {devices_, {}, devices_.empty() ? "the setting `devices` asks for none" : ""}; }

  DeviceResult<std::unique_ptr<Device>> open(const DeviceUuid &uuid, int number) override {
    for (const DeviceProperties &properties : devices_)
      if (properties.uuid == uuid)
        return std::make_unique<HostDevice>(properties, number);
    return deviceFailure(DeviceErrorKind::Misuse, "there is no host device " + describe(uuid));
  }

private:
  std::vector<DeviceProperties> devices_;
};

} // namespace

Result<std::unique_ptr<Backend>> makeHostBackend(int count, std::span<const DeviceOption> options,
                                                 const BackendContext &context) {
  if (auto read = readOptions(options, {}); !read)
    return tl::make_unexpected(read.error());
  return std::make_unique<HostBackend>(count < 0 ? 1 : count, context);
}

} // namespace streamap
