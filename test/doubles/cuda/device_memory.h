// The CUDA double: memory of devices, and pinned memory of the host.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the processor has protection keys, memory of a device is tagged with the device's key, and only threads that act as a
// device may touch it: a host thread that dereferences a device pointer faults, and so does a kernel that reaches into another
// device without peer access.
#pragma once

#include "world.h"

namespace doubles {

using BufferPlace = std::map<CUdeviceptr, Buffer>::iterator;

/// Takes memory of the context's device; CUDA_ERROR_OUT_OF_MEMORY beyond its capacity. What lies there is arbitrary, as on a
/// device.
CUresult allocateBuffer(World &world, Context &context, std::size_t bytes, CUdeviceptr &pointer);
/// Gives the memory back; its addresses are never used again, so that whoever comes late faults. Gives the next place.
BufferPlace releaseBuffer(World &world, BufferPlace place);
/// The live buffer that has all of the bytes; null if there is none.
Buffer *findBuffer(World &world, CUdeviceptr pointer, std::size_t bytes);
/// The live buffer that begins there; end() if none does.
BufferPlace bufferAt(World &world, CUdeviceptr pointer);

std::uint64_t freeBytes(const World &world, const Device &device);

enum class HostMemory { Pageable, Pinned, PartlyPinned };
HostMemory classify(const World &world, const void *pointer, std::size_t bytes);
/// cuMemHostAlloc.
CUresult allocateHost(World &world, Context &context, std::size_t bytes, void *&pointer);
void releaseHostRange(std::uintptr_t address, const HostRange &range);

/// The protection key of the device with this ordinal; 0 where there is none. A process has 15 of them.
int protectionKey(int ordinal);

/// Lets the calling thread act as a device for a while. For a copy: reaches all devices. For a kernel: its own and its peers'.
class ActingAsDevice {
public:
  explicit ActingAsDevice(const World &world);
  explicit ActingAsDevice(const Context &context);
  ~ActingAsDevice();
  ActingAsDevice(const ActingAsDevice &) = delete;
  ActingAsDevice &operator=(const ActingAsDevice &) = delete;

private:
  void open(const Device &device);
  std::vector<int> opened_;
};

} // namespace doubles
