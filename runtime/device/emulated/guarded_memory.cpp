// StreamMAP runtime: the memory of an emulated device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/emulated/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace streamap {
namespace {

/// What a buffer takes of the capacity: whole granules, as devices do it.
constexpr std::uint64_t granule = 256;
/// Neither a plausible number nor zero.
constexpr std::byte fresh{0xa5}, untouched{0x5c};
/// A buffer is filled so far; the rest costs too much time for what it finds.
constexpr std::size_t filledAtMost = std::size_t{1} << 20;

std::size_t pageSize() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

Bytes granules(Bytes size) {
  return Bytes{(size.value + granule - 1) / granule * granule};
}

std::byte *memoryAt(std::uint64_t address) {
  return reinterpret_cast<std::byte *>(address); // NOLINT(performance-no-int-to-ptr)
}

} // namespace

GuardedMemory::~GuardedMemory() {
  for (const auto &[address, buffer] : buffers_)
    munmap(memoryAt(address) - pageSize(), buffer.mapped + 2 * pageSize());
}

DeviceResult<DevicePointer> GuardedMemory::allocate(Bytes size) {
  const std::size_t page = pageSize();
  std::lock_guard lock(mutex_);
  const Bytes left = capacity_ - used_;
  if (size > left || granules(size) > left)
    return deviceFailure(DeviceErrorKind::OutOfMemory, "no " + describe(size) + " of memory left: " + describe(left) + " of " +
                                                           describe(capacity_) + " are free");
  const std::size_t mapped = (size.value + page - 1) / page * page;
  void *const all = mmap(nullptr, mapped + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    return deviceFailure(DeviceErrorKind::OutOfMemory, "this machine has no memory left for the device's");
  std::byte *const start = static_cast<std::byte *>(all) + page;
  if (mprotect(start, mapped, PROT_READ | PROT_WRITE) != 0) {
    munmap(all, mapped + 2 * page);
    return deviceFailure(DeviceErrorKind::OutOfMemory, "this machine has no memory left for the device's");
  }
  std::fill_n(start, std::min<std::size_t>(size.value, filledAtMost), fresh);
  std::fill(start + size.value, start + mapped, untouched);
  const auto address = reinterpret_cast<std::uint64_t>(start);
  buffers_[address] = {size, mapped};
  used_ += granules(size);
  return DevicePointer{address};
}

DeviceResult<void> GuardedMemory::free(DevicePointer pointer) {
  std::lock_guard lock(mutex_);
  const auto found = buffers_.find(pointer.value);
  if (found == buffers_.end())
    return deviceFailure(DeviceErrorKind::Misuse, "memory is freed that is not allocated");
  const Buffer buffer = found->second;
  std::byte *const start = memoryAt(pointer.value);
  const bool intact = std::all_of(start + buffer.size.value, start + buffer.mapped, [](std::byte b) { return b == untouched; });
  munmap(start - pageSize(), buffer.mapped + 2 * pageSize());
  buffers_.erase(found);
  used_ -= granules(buffer.size);
  if (!intact)
    return deviceFailure(DeviceErrorKind::Lost,
                         "a kernel has written behind the end of a buffer of " + std::to_string(buffer.size.value) + " bytes");
  return {};
}

Bytes GuardedMemory::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

} // namespace streamap
