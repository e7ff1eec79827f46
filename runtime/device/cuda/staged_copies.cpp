// StreamMAP runtime: copies between a device and host memory that is not pinned.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/staged_copies.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "device/cuda/cuda_error.h"

namespace streamap::cuda {

std::vector<CopyPiece> cutCopy(std::uint64_t width, std::uint64_t rows, std::uint64_t hostPitch, std::uint64_t devicePitch,
                               std::uint64_t largest) {
  std::vector<CopyPiece> pieces;
  if (width <= largest) {
    const std::uint64_t most = largest / width;
    for (std::uint64_t row = 0; row < rows; row += most)
      pieces.push_back({row * hostPitch, row * devicePitch, width, std::min(most, rows - row)});
    return pieces;
  }
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < width; column += largest)
      pieces.push_back({row * hostPitch + column, row * devicePitch + column, std::min(largest, width - column), 1});
  return pieces;
}

StagedCopies::StagedCopies(const Driver &driver, CUstream stream, std::size_t pieceBytes)
    : driver_(driver), stream_(stream), pieceBytes_(pieceBytes) {}

/// For copies of which nobody knows whether the driver will still run them: the context broke, or the call that queued them
/// failed.
void StagedCopies::keepForEver(std::unique_ptr<HostCopy> copy) {
  static std::mutex mutex;
  static auto &kept = *new std::vector<std::unique_ptr<HostCopy>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(copy));
}

StagedCopies::~StagedCopies() {
  for (auto &copy : hostCopies_)
    if (!copy->done.load(std::memory_order_acquire))
      keepForEver(std::move(copy));
}

void StagedCopies::release() {
  // On a broken context these fail, and its end takes all of it.
  if (hostStream_) {
    driver_.cuStreamSynchronize(hostStream_);
    driver_.cuStreamDestroy_v2(hostStream_);
    hostStream_ = nullptr;
  }
  if (order_)
    driver_.cuEventDestroy_v2(order_);
  order_ = nullptr;
  for (Slot &slot : slots_) {
    for (const CUevent event : {slot.filled, slot.emptied})
      if (event)
        driver_.cuEventDestroy_v2(event);
    if (slot.memory)
      driver_.cuMemFreeHost(slot.memory);
    slot = {};
  }
}

/// Makes what is missing; after an error the rest is made the next time.
DeviceResult<void> StagedCopies::prepare() {
  if (!hostStream_)
    STREAMAP_CUDA_TRY(driver_, cuStreamCreateWithPriority, &hostStream_, CU_STREAM_NON_BLOCKING, 0);
  if (!order_)
    STREAMAP_CUDA_TRY(driver_, cuEventCreate, &order_, CU_EVENT_DISABLE_TIMING);
  for (Slot &slot : slots_) {
    for (CUevent *const event : {&slot.filled, &slot.emptied})
      if (!*event)
        STREAMAP_CUDA_TRY(driver_, cuEventCreate, event, CU_EVENT_DISABLE_TIMING);
    if (!slot.memory)
      STREAMAP_CUDA_TRY(driver_, cuMemHostAlloc, &slot.memory, pieceBytes_, CU_MEMHOSTALLOC_PORTABLE);
  }
  return {};
}

/// What is queued in \p behind from now on comes after what is in \p first.
DeviceResult<void> StagedCopies::follow(CUstream behind, CUevent event, CUstream first) {
  STREAMAP_CUDA_TRY(driver_, cuEventRecord, event, first);
  STREAMAP_CUDA_TRY(driver_, cuStreamWaitEvent, behind, event, 0);
  return {};
}

void StagedCopies::runHostCopy(void *data) {
  HostCopy &copy = *static_cast<HostCopy *>(data);
  for (std::uint64_t row = 0; row < copy.rows; ++row)
    std::memcpy(copy.to + row * copy.toPitch, copy.from + row * copy.fromPitch, copy.width);
  copy.done.store(true, std::memory_order_release); // the last: it may be gone now
}

DeviceResult<void> StagedCopies::queueHostCopy(char *to, std::uint64_t toPitch, const char *from, std::uint64_t fromPitch,
                                               const CopyPiece &piece) {
  while (!hostCopies_.empty() && hostCopies_.front()->done.load(std::memory_order_acquire))
    hostCopies_.pop_front();
  auto copy = std::make_unique<HostCopy>();
  copy->to = to;
  copy->from = from;
  copy->width = piece.width;
  copy->rows = piece.rows;
  copy->toPitch = toPitch;
  copy->fromPitch = fromPitch;
  HostCopy *const queued = hostCopies_.emplace_back(std::move(copy)).get(); // before the call: it may have run when that returns
  if (const CUresult result = driver_.cuLaunchHostFunc(hostStream_, runHostCopy, queued); result != CUDA_SUCCESS) {
    keepForEver(std::move(hostCopies_.back()));
    hostCopies_.pop_back();
    return tl::make_unexpected(makeError(driver_, "cuLaunchHostFunc", result));
  }
  return {};
}

namespace {

/// The copy between packed pinned memory and the device.
CUDA_MEMCPY2D packedCopy(void *memory, CUdeviceptr device, std::uint64_t devicePitch, const CopyPiece &piece, bool toDevice) {
  CUDA_MEMCPY2D copy{};
  if (toDevice) {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = memory;
    copy.srcPitch = piece.width;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = device;
    copy.dstPitch = devicePitch;
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = device;
    copy.srcPitch = devicePitch;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = memory;
    copy.dstPitch = piece.width;
  }
  copy.WidthInBytes = piece.width;
  copy.Height = piece.rows;
  return copy;
}

} // namespace

DeviceResult<void> StagedCopies::pieceToDevice(Slot &slot, CUdeviceptr to, const char *from, const CopyShape &shape,
                                               const CopyPiece &piece) {
  if (slot.used)
    STREAMAP_CUDA_TRY(driver_, cuStreamWaitEvent, hostStream_, slot.emptied, 0);
  if (auto queued =
          queueHostCopy(static_cast<char *>(slot.memory), piece.width, from + piece.hostOffset, shape.fromPitch.value, piece);
      !queued)
    return queued;
  if (auto joined = follow(stream_, slot.filled, hostStream_); !joined)
    return joined;
  const CUdeviceptr target = to + piece.deviceOffset;
  if (piece.rows == 1) {
    STREAMAP_CUDA_TRY(driver_, cuMemcpyHtoDAsync_v2, target, slot.memory, piece.width, stream_);
  } else {
    const CUDA_MEMCPY2D copy = packedCopy(slot.memory, target, shape.toPitch.value, piece, true);
    STREAMAP_CUDA_TRY(driver_, cuMemcpy2DAsync_v2, &copy, stream_);
  }
  STREAMAP_CUDA_TRY(driver_, cuEventRecord, slot.emptied, stream_);
  slot.used = true;
  return {};
}

DeviceResult<void> StagedCopies::pieceToHost(Slot &slot, char *to, CUdeviceptr from, const CopyShape &shape,
                                             const CopyPiece &piece) {
  if (slot.used)
    STREAMAP_CUDA_TRY(driver_, cuStreamWaitEvent, stream_, slot.emptied, 0);
  const CUdeviceptr source = from + piece.deviceOffset;
  if (piece.rows == 1) {
    STREAMAP_CUDA_TRY(driver_, cuMemcpyDtoHAsync_v2, slot.memory, source, piece.width, stream_);
  } else {
    const CUDA_MEMCPY2D copy = packedCopy(slot.memory, source, shape.fromPitch.value, piece, false);
    STREAMAP_CUDA_TRY(driver_, cuMemcpy2DAsync_v2, &copy, stream_);
  }
  if (auto joined = follow(hostStream_, slot.filled, stream_); !joined)
    return joined;
  if (auto queued =
          queueHostCopy(to + piece.hostOffset, shape.toPitch.value, static_cast<char *>(slot.memory), piece.width, piece);
      !queued)
    return queued;
  STREAMAP_CUDA_TRY(driver_, cuEventRecord, slot.emptied, hostStream_);
  slot.used = true;
  return {};
}

/// Queues the pieces one behind the other. After an error in the midst the two streams are finished, so that the slots are free
/// again and nothing of a copy that has failed still reaches the user's memory.
template <class Piece>
DeviceResult<void> StagedCopies::run(const CopyShape &shape, std::uint64_t hostPitch, std::uint64_t devicePitch, Piece piece) {
  const auto queueAll = [&]() -> DeviceResult<void> {
    if (auto joined = follow(hostStream_, order_, stream_); !joined)
      return joined;
    for (const CopyPiece &part : cutCopy(shape.width.value, shape.rows, hostPitch, devicePitch, pieceBytes_)) {
      if (auto queued = piece(slots_[next_], part); !queued)
        return queued;
      next_ = (next_ + 1) % slots_.size();
    }
    return follow(stream_, order_, hostStream_);
  };
  if (auto ready = prepare(); !ready)
    return ready;
  auto queued = queueAll();
  if (!queued) {
    driver_.cuStreamSynchronize(stream_);
    driver_.cuStreamSynchronize(hostStream_);
  }
  return queued;
}

DeviceResult<void> StagedCopies::toDevice(CUdeviceptr to, const void *from, const CopyShape &shape) {
  return run(shape, shape.fromPitch.value, shape.toPitch.value, [&](Slot &slot, const CopyPiece &piece) {
    return pieceToDevice(slot, to, static_cast<const char *>(from), shape, piece);
  });
}

DeviceResult<void> StagedCopies::toHost(void *to, CUdeviceptr from, const CopyShape &shape) {
  return run(shape, shape.toPitch.value, shape.fromPitch.value,
             [&](Slot &slot, const CopyPiece &piece) { return pieceToHost(slot, static_cast<char *>(to), from, shape, piece); });
}

} // namespace streamap::cuda
