// The CUDA double: copies and fills.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "device_memory.h"
#include "faults.h"
#include "functions.h"
#include "lookup.h"

namespace doubles {
namespace {

/// One side of a copy: rows of bytes in host or device memory.
struct Side {
  char *start = nullptr;
  std::size_t pitch = 0;
  bool device = false;
};

struct Copy {
  Side to, from;
  std::size_t width = 0, rows = 1;
};

std::size_t reach(const Copy &copy, const Side &side) {
  return (copy.rows - 1) * side.pitch + copy.width;
}

void perform(const Copy &copy) {
  for (std::size_t row = 0; row < copy.rows; ++row)
    std::memmove(copy.to.start + row * copy.to.pitch, copy.from.start + row * copy.from.pitch, copy.width);
}

/// What a driver does with pageable memory: the contents on their way to a device are taken at the call.
void takeSnapshot(Copy &copy, std::shared_ptr<std::vector<char>> &snapshot) {
  snapshot = std::make_shared<std::vector<char>>(copy.width * copy.rows);
  Copy gather = copy;
  gather.to = {snapshot->data(), copy.width, false};
  perform(gather);
  copy.from = gather.to;
}

CUresult checkSide(Call &call, const Copy &copy, const Side &side) {
  const std::size_t bytes = reach(copy, side);
  if (copy.rows > 1 && side.pitch < copy.width)
    return call.misused(CUDA_ERROR_INVALID_VALUE, "a pitch below the width");
  if (side.device)
    return findBuffer(call.world, reinterpret_cast<CUdeviceptr>(side.start), bytes)
               ? CUDA_SUCCESS
               : call.misused(CUDA_ERROR_INVALID_VALUE, "not within a buffer of a device");
  return classify(call.world, side.start, bytes) != HostMemory::PartlyPinned
             ? CUDA_SUCCESS
             : call.misused(CUDA_ERROR_INVALID_VALUE, "memory that is pinned in part");
}

bool isPageable(const Call &call, const Copy &copy, const Side &side) {
  return !side.device && classify(call.world, side.start, reach(copy, side)) == HostMemory::Pageable;
}

/// Queues a copy; \p blocking: waits for it.
CUresult queueCopy(Call &call, CUstream stream, Copy copy, bool blocking) {
  Stream *found = nullptr;
  if (const CUresult result = findStream(call, stream, found); result != CUDA_SUCCESS)
    return result;
  if (copy.width == 0 || copy.rows == 0)
    return CUDA_SUCCESS;
  for (const Side &side : {copy.to, copy.from})
    if (const CUresult result = checkSide(call, copy, side); result != CUDA_SUCCESS)
      return result;
  std::shared_ptr<std::vector<char>> snapshot;
  if (!blocking && (isPageable(call, copy, copy.from) || isPageable(call, copy, copy.to))) {
    call.world.countPageableCopy();
    if (isPageable(call, copy, copy.from) && copy.to.device)
      takeSnapshot(copy, snapshot);
    else
      blocking = true;
  }
  Context &context = *call.context;
  const auto operation = call.world.enqueue(context, found, [&world = call.world, &context, copy, snapshot] {
    if (world.failsInStream(context, "copy"))
      return;
    const ActingAsDevice access(world);
    // A buffer of another device that is freed meanwhile, or host memory: no program should, and the process lives on.
    const auto body = [](const void *data) { perform(*static_cast<const Copy *>(data)); };
    if (untilFault(body, &copy) != 0)
      context.sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  });
  if (!blocking)
    return CUDA_SUCCESS;
  call.wait({operation});
  return static_cast<CUresult>(context.sticky.load());
}

Side onHost(const void *pointer) {
  return {static_cast<char *>(const_cast<void *>(pointer)), 0, false};
}
Side onDevice(CUdeviceptr pointer) {
  return {reinterpret_cast<char *>(pointer), 0, true};
}
/// With unified addressing the address says where it is.
Side anywhere(const Call &call, CUdeviceptr pointer) {
  return {reinterpret_cast<char *>(pointer), 0, findBuffer(call.world, pointer, 1) != nullptr};
}

Side side2D(const Call &call, CUmemorytype type, const void *host, CUdeviceptr device, std::size_t pitch, std::size_t x,
            std::size_t y) {
  Side side = type == CU_MEMORYTYPE_HOST     ? onHost(host)
              : type == CU_MEMORYTYPE_DEVICE ? onDevice(device)
                                             : anywhere(call, device);
  side.start += y * pitch + x;
  side.pitch = pitch;
  return side;
}

CUresult copy2D(Call &call, const CUDA_MEMCPY2D *given, CUstream stream, bool blocking) {
  if (!given || given->srcMemoryType == CU_MEMORYTYPE_ARRAY || given->dstMemoryType == CU_MEMORYTYPE_ARRAY)
    return call.misused(CUDA_ERROR_INVALID_VALUE, "arrays are not part of the double");
  Copy copy;
  copy.to =
      side2D(call, given->dstMemoryType, given->dstHost, given->dstDevice, given->dstPitch, given->dstXInBytes, given->dstY);
  copy.from =
      side2D(call, given->srcMemoryType, given->srcHost, given->srcDevice, given->srcPitch, given->srcXInBytes, given->srcY);
  copy.width = given->WidthInBytes;
  copy.rows = given->Height;
  return queueCopy(call, stream, copy, blocking);
}

CUresult copyPeer(Call &call, CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, std::size_t bytes,
                  CUstream stream, bool blocking) {
  for (const auto &[pointer, handle] : {std::pair(to, toContext), std::pair(from, fromContext)}) {
    const Context *const context = call.world.contexts.find(handle);
    if (!context)
      return call.misused(CUDA_ERROR_INVALID_CONTEXT, "a dead or foreign context");
    const Buffer *const buffer = findBuffer(call.world, pointer, bytes);
    if (!buffer || buffer->context != context)
      return call.misused(CUDA_ERROR_INVALID_VALUE, "not within a buffer of that context");
  }
  return queueCopy(call, stream, {onDevice(to), onDevice(from), bytes}, blocking);
}

template <class Value> CUresult fill(Call &call, CUdeviceptr to, Value value, std::size_t count, CUstream stream) {
  Stream *found = nullptr;
  if (const CUresult result = findStream(call, stream, found); result != CUDA_SUCCESS)
    return result;
  if (to % sizeof value != 0 || !findBuffer(call.world, to, count * sizeof value))
    return call.misused(CUDA_ERROR_INVALID_VALUE, "not within a buffer, or not aligned");
  call.world.enqueue(*call.context, found, [&world = call.world, to, value, count] {
    const ActingAsDevice access(world);
    std::fill_n(reinterpret_cast<Value *>(to), count, value);
  });
  return CUDA_SUCCESS;
}

} // namespace

DOUBLE_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, std::size_t bytes) {
  return callApi(
      "cuMemcpyHtoD_v2", Needs::Context,
      [&](Call &call) { return queueCopy(call, nullptr, {onDevice(to), onHost(from), bytes}, true); }, to, from, bytes);
}

DOUBLE_API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, std::size_t bytes) {
  return callApi(
      "cuMemcpyDtoH_v2", Needs::Context,
      [&](Call &call) { return queueCopy(call, nullptr, {onHost(to), onDevice(from), bytes}, true); }, to, from, bytes);
}

DOUBLE_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return callApi(
      "cuMemcpyDtoD_v2", Needs::Context,
      [&](Call &call) { return queueCopy(call, nullptr, {onDevice(to), onDevice(from), bytes}, false); }, to, from, bytes);
}

DOUBLE_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, std::size_t bytes, CUstream stream) {
  return callApi(
      "cuMemcpyHtoDAsync_v2", Needs::Context,
      [&](Call &call) { return queueCopy(call, stream, {onDevice(to), onHost(from), bytes}, false); }, to, from, bytes, stream);
}

DOUBLE_API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return callApi(
      "cuMemcpyDtoHAsync_v2", Needs::Context,
      [&](Call &call) { return queueCopy(call, stream, {onHost(to), onDevice(from), bytes}, false); }, to, from, bytes, stream);
}

DOUBLE_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return callApi(
      "cuMemcpyDtoDAsync_v2", Needs::Context,
      [&](Call &call) { return queueCopy(call, stream, {onDevice(to), onDevice(from), bytes}, false); }, to, from, bytes, stream);
}

DOUBLE_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return callApi(
      "cuMemcpyAsync", Needs::Context,
      [&](Call &call) { return queueCopy(call, stream, {anywhere(call, to), anywhere(call, from), bytes}, false); }, to, from,
      bytes, stream);
}

DOUBLE_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext,
                                      std::size_t bytes, CUstream stream) {
  return callApi(
      "cuMemcpyPeerAsync", Needs::Context,
      [&](Call &call) { return copyPeer(call, to, toContext, from, fromContext, bytes, stream, false); }, to, toContext, from,
      fromContext, bytes, stream);
}

DOUBLE_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext,
                                 std::size_t bytes) {
  return callApi(
      "cuMemcpyPeer", Needs::Context,
      [&](Call &call) { return copyPeer(call, to, toContext, from, fromContext, bytes, nullptr, true); }, to, toContext, from,
      fromContext, bytes);
}

DOUBLE_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return callApi(
      "cuMemcpy2DAsync_v2", Needs::Context, [&](Call &call) { return copy2D(call, copy, stream, false); }, copy, stream);
}

DOUBLE_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return callApi("cuMemcpy2D_v2", Needs::Context, [&](Call &call) { return copy2D(call, copy, nullptr, true); }, copy);
}

DOUBLE_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return callApi(
      "cuMemsetD8Async", Needs::Context, [&](Call &call) { return fill(call, to, value, count, stream); }, to, value, count,
      stream);
}

DOUBLE_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
  return callApi(
      "cuMemsetD32Async", Needs::Context, [&](Call &call) { return fill(call, to, value, count, stream); }, to, value, count,
      stream);
}

} // namespace doubles
