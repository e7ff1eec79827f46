// The CUDA double: memory of devices, and pinned memory of the host.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace doubles {
namespace {

constexpr std::size_t alignment = 256; // what cuMemAlloc promises
constexpr std::size_t filledBytes = std::size_t{16}
                                    << 20; // larger buffers are left zero: filling them would cost more than it finds
constexpr unsigned char garbage = 0xa7, border = 0x5c;

std::size_t pageBytes() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t roundUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Bytes between the buffer's end and the inaccessible page, which nobody may change.
std::size_t borderBytes(const Buffer &buffer) {
  return roundUp(buffer.bytes, alignment) - buffer.bytes;
}

std::uint64_t capacity(const Device &device) {
  return device.settings->memory - std::min(device.settings->taken, device.settings->memory);
}

void protect(const Buffer &buffer, int key) {
  if (key != 0)
    pkey_mprotect(static_cast<char *>(buffer.mapping) + pageBytes(), buffer.mappingBytes - 2 * pageBytes(),
                  PROT_READ | PROT_WRITE, key);
}

} // namespace

CUresult allocateBuffer(World &world, Context &context, std::size_t bytes, CUdeviceptr &pointer) {
  Device &device = *context.device;
  if (!world.ledger.take(device.position, bytes, capacity(device)))
    return CUDA_ERROR_OUT_OF_MEMORY;
  Buffer buffer;
  buffer.context = &context;
  buffer.bytes = bytes;
  const std::size_t pages = roundUp(roundUp(bytes, alignment), pageBytes());
  buffer.mappingBytes = pages + 2 * pageBytes();
  buffer.mapping = mmap(nullptr, buffer.mappingBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char *const inside = static_cast<char *>(buffer.mapping) + pageBytes();
  if (buffer.mapping == MAP_FAILED || mprotect(inside, pages, PROT_READ | PROT_WRITE) != 0) {
    world.ledger.giveBack(device.position, bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  char *const start = inside + pages - roundUp(bytes, alignment);
  std::memset(start, garbage, std::min(bytes, filledBytes));
  std::memset(start + bytes, border, borderBytes(buffer));
  protect(buffer, device.key);
  device.used += bytes;
  pointer = reinterpret_cast<CUdeviceptr>(start);
  world.buffers[pointer] = buffer;
  return CUDA_SUCCESS;
}

BufferPlace releaseBuffer(World &world, BufferPlace place) {
  const Buffer &buffer = place->second;
  Device &device = *buffer.context->device;
  {
    const ActingAsDevice access(world);
    const auto *const end = reinterpret_cast<const unsigned char *>(place->first) + buffer.bytes;
    if (std::any_of(end, end + borderBytes(buffer), [](unsigned char byte) { return byte != border; }))
      world.misuse("something wrote behind the end of a buffer of " + std::to_string(buffer.bytes) + " bytes");
  }
  mmap(buffer.mapping, buffer.mappingBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  world.ledger.giveBack(device.position, buffer.bytes);
  device.used -= buffer.bytes;
  return world.buffers.erase(place);
}

Buffer *findBuffer(World &world, CUdeviceptr pointer, std::size_t bytes) {
  auto place = world.buffers.upper_bound(pointer);
  if (place == world.buffers.begin())
    return nullptr;
  --place;
  Buffer &buffer = place->second;
  const std::size_t offset = pointer - place->first;
  return !buffer.freed && offset <= buffer.bytes && bytes <= buffer.bytes - offset ? &buffer : nullptr;
}

BufferPlace bufferAt(World &world, CUdeviceptr pointer) {
  const auto place = world.buffers.find(pointer);
  return place != world.buffers.end() && place->second.freed ? world.buffers.end() : place;
}

std::uint64_t freeBytes(const World &world, const Device &device) {
  return capacity(device) - std::min(world.ledger.used(device.position), capacity(device));
}

HostMemory classify(const World &world, const void *pointer, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(pointer), last = first + bytes;
  auto place = world.hostRanges.upper_bound(first);
  if (place != world.hostRanges.begin()) {
    const auto before = std::prev(place);
    const std::uintptr_t end = before->first + before->second.bytes;
    if (last <= end)
      return HostMemory::Pinned;
    if (first < end)
      return HostMemory::PartlyPinned;
  }
  return place != world.hostRanges.end() && place->first < last ? HostMemory::PartlyPinned : HostMemory::Pageable;
}

CUresult allocateHost(World &world, Context &context, std::size_t bytes, void *&pointer) {
  void *const memory = mmap(nullptr, roundUp(bytes, pageBytes()), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  pointer = memory;
  world.hostRanges[reinterpret_cast<std::uintptr_t>(memory)] = HostRange{bytes, false, &context};
  return CUDA_SUCCESS;
}

void releaseHostRange(std::uintptr_t address, const HostRange &range) {
  munmap(reinterpret_cast<void *>(address), roundUp(range.bytes, pageBytes()));
}

int protectionKey(int ordinal) {
  static std::map<int, int> &keys = *new std::map<int, int>; // they outlive a world
  const auto [place, isNew] = keys.try_emplace(ordinal, 0);
  if (isNew)
    place->second = std::max(pkey_alloc(0, PKEY_DISABLE_ACCESS), 0);
  return place->second;
}

ActingAsDevice::ActingAsDevice(const World &world) {
  for (const auto &device : world.devices)
    open(*device);
}

ActingAsDevice::ActingAsDevice(const Context &context) {
  open(*context.device);
  for (const Context *const peer : context.peers)
    open(*peer->device);
}

ActingAsDevice::~ActingAsDevice() {
  for (const int key : opened_)
    pkey_set(key, PKEY_DISABLE_ACCESS);
}

void ActingAsDevice::open(const Device &device) {
  if (device.key == 0)
    return;
  pkey_set(device.key, 0);
  opened_.push_back(device.key);
}

} // namespace doubles
