// The CUDA double: calls about memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_memory.h"
#include "functions.h"
#include "lookup.h"

namespace doubles {
namespace {

/// Pinned memory is used from all devices; it goes only when nothing may be using it, as cuMemFreeHost sees to.
void waitForAll(Call &call) {
  std::vector<std::shared_ptr<Operation>> operations;
  for (const auto &[handle, context] : call.world.contexts.live())
    for (auto &tail : call.world.tails(*context))
      operations.push_back(std::move(tail));
  call.wait(operations);
}

/// Pinned memory that begins at \p pointer; end() if there is none of this kind.
std::map<std::uintptr_t, HostRange>::iterator hostRangeAt(Call &call, const void *pointer, bool registered) {
  const auto place = call.world.hostRanges.find(reinterpret_cast<std::uintptr_t>(pointer));
  return place != call.world.hostRanges.end() && place->second.registered == registered ? place : call.world.hostRanges.end();
}

CUresult allocatePinned(Call &call, void **pointer, std::size_t bytes, unsigned flags) {
  if (!pointer || bytes == 0 || (flags & ~0x7U) != 0)
    return call.misused(CUDA_ERROR_INVALID_VALUE, "no bytes, no place, or flags");
  return allocateHost(call.world, *call.context, bytes, *pointer);
}

} // namespace

DOUBLE_API CUresult cuMemGetInfo_v2(std::size_t *available, std::size_t *total) {
  return callApi(
      "cuMemGetInfo_v2", Needs::Context,
      [&](Call &call) -> CUresult {
        *available = freeBytes(call.world, *call.context->device);
        *total = call.context->device->settings->memory;
        return CUDA_SUCCESS;
      },
      available, total);
}

DOUBLE_API CUresult cuMemAlloc_v2(CUdeviceptr *pointer, std::size_t bytes) {
  return callApi(
      "cuMemAlloc_v2", Needs::Context,
      [&](Call &call) -> CUresult {
        if (!pointer || bytes == 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no bytes or no place");
        return allocateBuffer(call.world, *call.context, bytes, *pointer);
      },
      pointer, bytes);
}

DOUBLE_API CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return callApi(
      "cuMemFree_v2", Needs::Context,
      [&](Call &call) -> CUresult {
        if (pointer == 0)
          return CUDA_SUCCESS;
        const auto place = bufferAt(call.world, pointer);
        if (place == call.world.buffers.end())
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no buffer begins there");
        place->second.freed = true;
        const Context &owner = *place->second.context;
        call.wait(call.world.tails(owner)); // as on a device: what is queued may use it
        releaseBuffer(call.world, call.world.buffers.find(pointer));
        return static_cast<CUresult>(owner.sticky.load());
      },
      pointer);
}

DOUBLE_API CUresult cuMemAllocAsync(CUdeviceptr *pointer, std::size_t bytes, CUstream stream) {
  return callApi(
      "cuMemAllocAsync", Needs::Context,
      [&](Call &call) -> CUresult {
        Stream *found = nullptr;
        if (const CUresult result = findStream(call, stream, found); result != CUDA_SUCCESS)
          return result;
        if (!pointer || bytes == 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no bytes or no place");
        return allocateBuffer(call.world, *call.context, bytes, *pointer);
      },
      pointer, bytes, stream);
}

DOUBLE_API CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return callApi(
      "cuMemFreeAsync", Needs::Context,
      [&](Call &call) -> CUresult {
        Stream *found = nullptr;
        if (const CUresult result = findStream(call, stream, found); result != CUDA_SUCCESS)
          return result;
        const auto place = bufferAt(call.world, pointer);
        if (place == call.world.buffers.end())
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no buffer begins there");
        place->second.freed = true;
        call.world.enqueue(*call.context, found, [&world = call.world, pointer] {
          const std::lock_guard lock(world.mutex);
          if (const auto still = world.buffers.find(pointer); still != world.buffers.end())
            releaseBuffer(world, still);
        });
        return CUDA_SUCCESS;
      },
      pointer, stream);
}

DOUBLE_API CUresult cuMemHostAlloc(void **pointer, std::size_t bytes, unsigned flags) {
  return callApi(
      "cuMemHostAlloc", Needs::Context, [&](Call &call) { return allocatePinned(call, pointer, bytes, flags); }, pointer, bytes,
      flags);
}

DOUBLE_API CUresult cuMemAllocHost_v2(void **pointer, std::size_t bytes) {
  return callApi(
      "cuMemAllocHost_v2", Needs::Context, [&](Call &call) { return allocatePinned(call, pointer, bytes, 0); }, pointer, bytes);
}

DOUBLE_API CUresult cuMemFreeHost(void *pointer) {
  return callApi(
      "cuMemFreeHost", Needs::Context,
      [&](Call &call) -> CUresult {
        if (hostRangeAt(call, pointer, false) == call.world.hostRanges.end())
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no pinned memory begins there");
        waitForAll(call);
        if (const auto place = hostRangeAt(call, pointer, false); place != call.world.hostRanges.end()) {
          releaseHostRange(place->first, place->second);
          call.world.hostRanges.erase(place);
        }
        return CUDA_SUCCESS;
      },
      pointer);
}

DOUBLE_API CUresult cuMemHostRegister_v2(void *pointer, std::size_t bytes, unsigned flags) {
  return callApi(
      "cuMemHostRegister_v2", Needs::Context,
      [&](Call &call) -> CUresult {
        if (!pointer || bytes == 0 || (flags & ~0xfU) != 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no bytes or flags");
        if (classify(call.world, pointer, bytes) != HostMemory::Pageable)
          return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
        call.world.hostRanges[reinterpret_cast<std::uintptr_t>(pointer)] = HostRange{bytes, true, call.context};
        return CUDA_SUCCESS;
      },
      pointer, bytes, flags);
}

DOUBLE_API CUresult cuMemHostUnregister(void *pointer) {
  return callApi(
      "cuMemHostUnregister", Needs::Context,
      [&](Call &call) -> CUresult {
        if (hostRangeAt(call, pointer, true) == call.world.hostRanges.end())
          return call.misused(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "nothing registered begins there");
        waitForAll(call);
        if (const auto place = hostRangeAt(call, pointer, true); place != call.world.hostRanges.end())
          call.world.hostRanges.erase(place);
        return CUDA_SUCCESS;
      },
      pointer);
}

DOUBLE_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *pointer, unsigned flags) {
  return callApi(
      "cuMemHostGetDevicePointer_v2", Needs::Context,
      [&](Call &call) -> CUresult {
        if (flags != 0 || classify(call.world, pointer, 1) != HostMemory::Pinned)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "not pinned");
        *device = reinterpret_cast<CUdeviceptr>(pointer); // one address space for all
        return CUDA_SUCCESS;
      },
      device, pointer, flags);
}

DOUBLE_API CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return callApi(
      "cuPointerGetAttribute", Needs::Context,
      [&](Call &call) -> CUresult {
        const auto after = call.world.buffers.upper_bound(pointer);
        const Buffer *const buffer = findBuffer(call.world, pointer, 1);
        const bool pinned = classify(call.world, reinterpret_cast<const void *>(pointer), 1) == HostMemory::Pinned;
        if (!buffer && !pinned)
          return CUDA_ERROR_INVALID_VALUE; // how programs ask whether a pointer is CUDA's
        if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
          *static_cast<unsigned *>(value) = static_cast<unsigned>(buffer ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
        else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
          *static_cast<CUdeviceptr *>(value) = pointer;
        else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL && buffer)
          *static_cast<int *>(value) = buffer->context->device->ordinal;
        else if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT && buffer)
          *static_cast<CUcontext *>(value) = reinterpret_cast<CUcontext>(buffer->context);
        else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR && buffer)
          *static_cast<CUdeviceptr *>(value) = std::prev(after)->first;
        else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE && buffer)
          *static_cast<std::size_t *>(value) = buffer->bytes;
        else
          return CUDA_ERROR_INVALID_VALUE;
        return CUDA_SUCCESS;
      },
      value, static_cast<unsigned>(attribute), pointer);
}

} // namespace doubles
