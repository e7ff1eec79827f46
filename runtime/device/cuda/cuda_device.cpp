// StreamMAP runtime: an NVIDIA device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/cuda_device.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "device/cuda/cuda_error.h"

namespace streamap::cuda {
namespace {

/// Handles of the interface are the driver's own, or addresses of ours.
template <class Handle, class Pointer> Handle toHandle(Pointer *pointer) {
  return Handle{reinterpret_cast<std::uint64_t>(pointer)};
}
template <class Pointer, class Tag> Pointer fromHandle(StrongId<Tag, std::uint64_t> handle) {
  return reinterpret_cast<Pointer>(handle.value);
}

} // namespace

template <class Body> auto CudaDevice::inContext(Body &&body) -> decltype(body()) {
  const CurrentContext current(driver(), context_);
  if (current.result() != CUDA_SUCCESS)
    return tl::make_unexpected(makeError(driver(), "cuCtxPushCurrent_v2", current.result()));
  return body();
}

DeviceResult<std::unique_ptr<CudaDevice>> CudaDevice::open(std::shared_ptr<CudaProcess> process, DeviceProperties properties,
                                                           int number) {
  CUcontext context = nullptr;
  STREAMAP_CUDA_TRY(*process->driver, cuDevicePrimaryCtxRetain, &context, properties.ordinal->value);
  return std::unique_ptr<CudaDevice>(new CudaDevice(std::move(process), std::move(properties), number, context));
}

CudaDevice::CudaDevice(std::shared_ptr<CudaProcess> process, DeviceProperties properties, int number, CUcontext context)
    : Device(std::move(properties), number), process_(std::move(process)), context_(context) {}

CudaDevice::~CudaDevice() {
  // Errors mean nothing here: on a broken context nearly every call fails, and its end takes all that is left.
  static_cast<void>(inContext([&]() -> DeviceResult<void> {
    for (auto &[handle, queue] : queues_) {
      driver().cuStreamSynchronize(queue->stream);
      queue->staged->release();
      driver().cuStreamDestroy_v2(queue->stream);
    }
    for (const CUevent event : events_)
      driver().cuEventDestroy_v2(event);
    for (const auto &[module, kernels] : kernels_)
      driver().cuModuleUnload(module);
    for (const CUdeviceptr pointer : memory_)
      driver().cuMemFree_v2(pointer);
    for (std::byte *const memory : pinned_) {
      process_->pinned.remove(memory);
      driver().cuMemFreeHost(memory);
    }
    return {};
  }));
  driver().cuDevicePrimaryCtxRelease_v2(ordinal());
}

// ---- Memory

DeviceResult<DevicePointer> CudaDevice::allocateImpl(Bytes size) {
  return inContext([&]() -> DeviceResult<DevicePointer> {
    CUdeviceptr pointer = 0;
    STREAMAP_CUDA_TRY(driver(), cuMemAlloc_v2, &pointer, size.value);
    const std::lock_guard lock(mutex_);
    memory_.insert(pointer);
    return DevicePointer{pointer};
  });
}

DeviceResult<void> CudaDevice::freeImpl(DevicePointer pointer, Bytes) {
  if (isLost())
    return {}; // the context's end frees it
  return inContext([&]() -> DeviceResult<void> {
    STREAMAP_CUDA_TRY(driver(), cuMemFree_v2, pointer.value);
    const std::lock_guard lock(mutex_);
    memory_.erase(pointer.value);
    return {};
  });
}

DeviceResult<DeviceMemoryInfo> CudaDevice::memoryInfoImpl() {
  return inContext([&]() -> DeviceResult<DeviceMemoryInfo> {
    std::size_t available = 0, total = 0;
    STREAMAP_CUDA_TRY(driver(), cuMemGetInfo_v2, &available, &total);
    return DeviceMemoryInfo{Bytes{available}, Bytes{total}};
  });
}

DeviceResult<std::byte *> CudaDevice::allocatePinnedImpl(Bytes size) {
  return inContext([&]() -> DeviceResult<std::byte *> {
    void *memory = nullptr;
    STREAMAP_CUDA_TRY(driver(), cuMemHostAlloc, &memory, size.value, CU_MEMHOSTALLOC_PORTABLE);
    process_->pinned.add(memory, size.value);
    const std::lock_guard lock(mutex_);
    return *pinned_.insert(static_cast<std::byte *>(memory)).first;
  });
}

DeviceResult<void> CudaDevice::freePinnedImpl(std::byte *memory) {
  if (isLost())
    return {}; // it goes with the context; until then copies elsewhere still know that it is pinned
  return inContext([&]() -> DeviceResult<void> {
    process_->pinned.remove(memory); // before it can be given out again
    if (const CUresult result = driver().cuMemFreeHost(memory); result != CUDA_SUCCESS)
      return tl::make_unexpected(makeError(driver(), "cuMemFreeHost", result));
    const std::lock_guard lock(mutex_);
    pinned_.erase(memory);
    return {};
  });
}

// ---- Queues and events

DeviceResult<DeviceQueue> CudaDevice::createQueueImpl() {
  return inContext([&]() -> DeviceResult<DeviceQueue> {
    auto queue = std::make_unique<Queue>();
    // Non-blocking: it has nothing to do with what the program does on the null stream.
    STREAMAP_CUDA_TRY(driver(), cuStreamCreateWithPriority, &queue->stream, CU_STREAM_NON_BLOCKING, 0);
    queue->staged = std::make_unique<StagedCopies>(driver(), queue->stream, process_->pieceBytes);
    const std::lock_guard lock(mutex_);
    Queue *const handle = queue.get();
    queues_[handle] = std::move(queue);
    return toHandle<DeviceQueue>(handle);
  });
}

DeviceResult<void> CudaDevice::destroyQueueImpl(DeviceQueue handle) {
  std::unique_ptr<Queue> queue;
  {
    const std::lock_guard lock(mutex_);
    const auto place = queues_.find(fromHandle<Queue *>(handle));
    assert(place != queues_.end());
    queue = std::move(place->second);
    queues_.erase(place);
  }
  return inContext([&]() -> DeviceResult<void> {
    const CUresult finished = driver().cuStreamSynchronize(queue->stream);
    queue->staged->release();
    const CUresult destroyed = driver().cuStreamDestroy_v2(queue->stream);
    if (isLost())
      return {};
    if (auto checked = check(driver(), "cuStreamSynchronize", finished); !checked)
      return checked;
    return check(driver(), "cuStreamDestroy_v2", destroyed);
  });
}

DeviceResult<void> CudaDevice::finishImpl(DeviceQueue queue) {
  // cuStreamSynchronize burns a core unless the whole context is told otherwise, which is not ours to do. An event can sleep.
  return inContext([&]() -> DeviceResult<void> {
    CUevent event = nullptr;
    STREAMAP_CUDA_TRY(driver(), cuEventCreate, &event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING);
    const char *call = "cuEventRecord";
    CUresult result = driver().cuEventRecord(event, fromHandle<Queue *>(queue)->stream);
    if (result == CUDA_SUCCESS) {
      call = "cuEventSynchronize";
      result = driver().cuEventSynchronize(event);
    }
    driver().cuEventDestroy_v2(event);
    return check(driver(), call, result);
  });
}

void *CudaDevice::nativeQueueImpl(DeviceQueue queue) {
  driver().cuCtxSetCurrent(context_);
  return fromHandle<Queue *>(queue)->stream;
}

DeviceResult<DeviceEvent> CudaDevice::createEventImpl() {
  return inContext([&]() -> DeviceResult<DeviceEvent> {
    CUevent event = nullptr;
    STREAMAP_CUDA_TRY(driver(), cuEventCreate, &event, CU_EVENT_BLOCKING_SYNC);
    const std::lock_guard lock(mutex_);
    events_.insert(event);
    return toHandle<DeviceEvent>(event);
  });
}

DeviceResult<void> CudaDevice::destroyEventImpl(DeviceEvent handle) {
  const auto event = fromHandle<CUevent>(handle);
  {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
  }
  return inContext([&]() -> DeviceResult<void> {
    const CUresult result = driver().cuEventDestroy_v2(event);
    return isLost() ? DeviceResult<void>() : check(driver(), "cuEventDestroy_v2", result);
  });
}

DeviceResult<void> CudaDevice::recordImpl(DeviceQueue queue, DeviceEvent event) {
  return inContext([&]() -> DeviceResult<void> {
    Queue &stream = *fromHandle<Queue *>(queue);
    const std::lock_guard order(stream.mutex);
    return check(driver(), "cuEventRecord", driver().cuEventRecord(fromHandle<CUevent>(event), stream.stream));
  });
}

DeviceResult<bool> CudaDevice::hasHappenedImpl(DeviceEvent event) {
  return inContext([&]() -> DeviceResult<bool> {
    const CUresult result = driver().cuEventQuery(fromHandle<CUevent>(event));
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
      return tl::make_unexpected(makeError(driver(), "cuEventQuery", result));
    return result == CUDA_SUCCESS;
  });
}

DeviceResult<void> CudaDevice::waitImpl(DeviceEvent event) {
  return inContext([&]() -> DeviceResult<void> {
    return check(driver(), "cuEventSynchronize", driver().cuEventSynchronize(fromHandle<CUevent>(event)));
  });
}

DeviceResult<void> CudaDevice::waitForImpl(DeviceQueue queue, Device &, DeviceEvent event) {
  return inContext([&]() -> DeviceResult<void> {
    Queue &stream = *fromHandle<Queue *>(queue);
    const std::lock_guard order(stream.mutex);
    return check(driver(), "cuStreamWaitEvent", driver().cuStreamWaitEvent(stream.stream, fromHandle<CUevent>(event), 0));
  });
}

DeviceResult<std::chrono::nanoseconds> CudaDevice::elapsedImpl(DeviceEvent from, DeviceEvent to) {
  return inContext([&]() -> DeviceResult<std::chrono::nanoseconds> {
    float milliseconds = 0;
    STREAMAP_CUDA_TRY(driver(), cuEventElapsedTime, &milliseconds, fromHandle<CUevent>(from), fromHandle<CUevent>(to));
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<float, std::milli>(milliseconds));
  });
}

// ---- Copies

namespace {

std::uint64_t reach(Bytes pitch, const CopyShape &shape) {
  return (shape.rows - 1) * pitch.value + shape.width.value;
}

/// With one row the pitches mean nothing to us, but the driver checks them.
CUDA_MEMCPY2D rectangle(const CopyShape &shape) {
  CUDA_MEMCPY2D copy{};
  copy.WidthInBytes = shape.width.value;
  copy.Height = shape.rows;
  copy.srcPitch = shape.rows == 1 ? shape.width.value : shape.fromPitch.value;
  copy.dstPitch = shape.rows == 1 ? shape.width.value : shape.toPitch.value;
  return copy;
}

} // namespace

DeviceResult<void> CudaDevice::copyPinned(const Queue &queue, const CUDA_MEMCPY2D &copy) {
  STREAMAP_CUDA_TRY(driver(), cuMemcpy2DAsync_v2, &copy, queue.stream);
  return {};
}

DeviceResult<void> CudaDevice::copyToDeviceImpl(DeviceQueue handle, DevicePointer to, const void *from, const CopyShape &shape) {
  return inContext([&]() -> DeviceResult<void> {
    Queue &queue = *fromHandle<Queue *>(handle);
    const std::lock_guard order(queue.mutex);
    if (!process_->pinned.contain(from, reach(shape.fromPitch, shape)))
      return queue.staged->toDevice(to.value, from, shape);
    if (shape.rows == 1) {
      STREAMAP_CUDA_TRY(driver(), cuMemcpyHtoDAsync_v2, to.value, from, shape.width.value, queue.stream);
      return {};
    }
    CUDA_MEMCPY2D copy = rectangle(shape);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to.value;
    return copyPinned(queue, copy);
  });
}

DeviceResult<void> CudaDevice::copyToHostImpl(DeviceQueue handle, void *to, DevicePointer from, const CopyShape &shape) {
  return inContext([&]() -> DeviceResult<void> {
    Queue &queue = *fromHandle<Queue *>(handle);
    const std::lock_guard order(queue.mutex);
    if (!process_->pinned.contain(to, reach(shape.toPitch, shape)))
      return queue.staged->toHost(to, from.value, shape);
    if (shape.rows == 1) {
      STREAMAP_CUDA_TRY(driver(), cuMemcpyDtoHAsync_v2, to, from.value, shape.width.value, queue.stream);
      return {};
    }
    CUDA_MEMCPY2D copy = rectangle(shape);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from.value;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to;
    return copyPinned(queue, copy);
  });
}

DeviceResult<void> CudaDevice::copyWithinImpl(DeviceQueue handle, DevicePointer to, DevicePointer from, const CopyShape &shape) {
  return inContext([&]() -> DeviceResult<void> {
    Queue &queue = *fromHandle<Queue *>(handle);
    const std::lock_guard order(queue.mutex);
    if (shape.rows == 1) {
      STREAMAP_CUDA_TRY(driver(), cuMemcpyDtoDAsync_v2, to.value, from.value, shape.width.value, queue.stream);
      return {};
    }
    CUDA_MEMCPY2D copy = rectangle(shape);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from.value;
    copy.dstDevice = to.value;
    return copyPinned(queue, copy);
  });
}

bool CudaDevice::canReachImpl(const Device &) const {
  return true; // the driver goes through the host where the hardware has no other way
}

/// Lets our copies go to the peer directly where the hardware can; where it cannot, that is no error.
DeviceResult<void> CudaDevice::enablePeer(const CudaDevice &peer) {
  {
    const std::lock_guard lock(mutex_);
    if (!peers_.insert(&peer).second)
      return {};
  }
  int can = 0;
  STREAMAP_CUDA_TRY(driver(), cuDeviceCanAccessPeer, &can, ordinal(), peer.ordinal());
  const CUresult result = can ? driver().cuCtxEnablePeerAccess(peer.context_, 0) : CUDA_SUCCESS;
  if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED || kindOf(result) != DeviceErrorKind::Lost)
    return {}; // the program may have done it; without it the copy is only slower
  return check(driver(), "cuCtxEnablePeerAccess", result);
}

DeviceResult<void> CudaDevice::copyFromPeerImpl(DeviceQueue handle, DevicePointer to, Device &peerDevice, DevicePointer from,
                                                const CopyShape &shape) {
  return inContext([&]() -> DeviceResult<void> {
    auto &peer = static_cast<CudaDevice &>(peerDevice);
    if (auto enabled = enablePeer(peer); !enabled)
      return enabled;
    Queue &queue = *fromHandle<Queue *>(handle);
    const std::lock_guard order(queue.mutex);
    // Rows that follow each other without gaps on both sides are one.
    const bool packed = shape.rows == 1 || (shape.toPitch == shape.width && shape.fromPitch == shape.width);
    const std::uint64_t width = packed ? shape.width.value * shape.rows : shape.width.value;
    for (std::uint64_t row = 0; row < (packed ? 1 : shape.rows); ++row)
      STREAMAP_CUDA_TRY(driver(), cuMemcpyPeerAsync, to.value + row * shape.toPitch.value, context_,
                        from.value + row * shape.fromPitch.value, peer.context_, width, queue.stream);
    return {};
  });
}

DeviceResult<void> CudaDevice::fillImpl(DeviceQueue handle, DevicePointer to, std::uint8_t value, Bytes size) {
  return inContext([&]() -> DeviceResult<void> {
    Queue &queue = *fromHandle<Queue *>(handle);
    const std::lock_guard order(queue.mutex);
    STREAMAP_CUDA_TRY(driver(), cuMemsetD8Async, to.value, value, size.value, queue.stream);
    return {};
  });
}

// ---- Code

DeviceResult<DeviceImage> CudaDevice::loadImageImpl(const streamap_image &image) {
  if (image.form != STREAMAP_IMAGE_PTX && image.form != STREAMAP_IMAGE_CUBIN && image.form != STREAMAP_IMAGE_FATBIN)
    return deviceFailure(DeviceErrorKind::BadImage, "this code is not for NVIDIA devices");
  return inContext([&]() -> DeviceResult<DeviceImage> {
    // The driver may compile here, for seconds; what its compiler says comes back in the buffer.
    std::array<char, 8192> log{};
    std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void *, 2> values{log.data(), reinterpret_cast<void *>(log.size())};
    CUmodule module = nullptr;
    const CUresult result =
        driver().cuModuleLoadDataEx(&module, image.data, static_cast<unsigned>(options.size()), options.data(), values.data());
    if (result != CUDA_SUCCESS) {
      DeviceError error = makeError(driver(), "cuModuleLoadDataEx", result);
      log.back() = '\0';
      if (log.front() != '\0')
        error.text.message += std::string("; the driver's compiler says: ") + log.data();
      return tl::make_unexpected(std::move(error));
    }
    const std::lock_guard lock(mutex_);
    kernels_.try_emplace(module);
    return toHandle<DeviceImage>(module);
  });
}

DeviceResult<void> CudaDevice::unloadImageImpl(DeviceImage image) {
  const auto module = fromHandle<CUmodule>(image);
  return inContext([&]() -> DeviceResult<void> {
    const CUresult result = driver().cuModuleUnload(module);
    const std::lock_guard lock(mutex_);
    kernels_.erase(module);
    return isLost() ? DeviceResult<void>() : check(driver(), "cuModuleUnload", result);
  });
}

DeviceResult<DeviceFunction> CudaDevice::findFunctionImpl(DeviceImage image, const char *kernel) {
  const auto module = fromHandle<CUmodule>(image);
  return inContext([&]() -> DeviceResult<DeviceFunction> {
    auto found = std::make_unique<Kernel>();
    if (const CUresult result = driver().cuModuleGetFunction(&found->function, module, kernel); result != CUDA_SUCCESS) {
      DeviceError error = makeError(driver(), "cuModuleGetFunction", result);
      error.text = std::move(error.text).in(std::string("kernel ") + kernel);
      return tl::make_unexpected(std::move(error));
    }
    int allowed = 0;
    STREAMAP_CUDA_TRY(driver(), cuFuncGetAttribute, &allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, found->function);
    found->sharedAllowed = static_cast<unsigned>(allowed);
    const std::lock_guard lock(mutex_);
    Kernel *const handle = found.get();
    kernels_[module][handle] = std::move(found);
    return toHandle<DeviceFunction>(handle);
  });
}

DeviceResult<void> CudaDevice::launchImpl(DeviceQueue handle, DeviceFunction function, const LaunchShape &shape,
                                          std::span<const KernelArgument> arguments) {
  if (arguments.size() > STREAMAP_MAX_KERNEL_ARGS)
    return deviceFailure(DeviceErrorKind::Misuse, std::to_string(arguments.size()) + " arguments, more than a kernel has");
  return inContext([&]() -> DeviceResult<void> {
    Queue &queue = *fromHandle<Queue *>(handle);
    Kernel &kernel = *fromHandle<Kernel *>(function);
    const auto shared = static_cast<unsigned>(shape.shared.value); // within the limits, which are below 4 GiB
    {
      // Beyond 48 KiB a kernel gets only what it has asked for before.
      const std::lock_guard lock(kernel.mutex);
      if (shared > kernel.sharedAllowed) {
        STREAMAP_CUDA_TRY(driver(), cuFuncSetAttribute, kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                          static_cast<int>(shared));
        kernel.sharedAllowed = shared;
      }
    }
    std::array<void *, STREAMAP_MAX_KERNEL_ARGS> parameters{};
    std::transform(arguments.begin(), arguments.end(), parameters.begin(),
                   [](const KernelArgument &argument) { return const_cast<void *>(argument.value); }); // the driver only reads
    const std::lock_guard order(queue.mutex);
    STREAMAP_CUDA_TRY(driver(), cuLaunchKernel, kernel.function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                      shape.block[1], shape.block[2], shared, queue.stream, parameters.data(), nullptr);
    return {};
  });
}

// ---- Health

DeviceResult<void> CudaDevice::probeImpl() {
  if (process_->nvml && process_->nvml->isLost(properties().uuid))
    return deviceFailure(DeviceErrorKind::Lost, "the device has fallen off the bus",
                         "nvidia-smi shows it; the machine needs a reset");
  return inContext([&]() -> DeviceResult<void> {
    // Any call tells of an error that has broken the context; this one asks the hardware nothing.
    const CUresult result = driver().cuStreamQuery(nullptr);
    return result == CUDA_ERROR_NOT_READY ? DeviceResult<void>() : check(driver(), "cuStreamQuery", result);
  });
}

} // namespace streamap::cuda
