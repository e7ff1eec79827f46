// StreamMAP runtime: the memory of an emulated device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <mutex>

#include "base/bytes.h"
#include "device/device_error.h"
#include "device/device_ids.h"

namespace streamap {

/// Buffers of a limited amount in all, each with mappings of its own: a page that cannot be touched in front and behind, and
/// between the buffer's end and the end of its last page bytes that are looked at when it is freed. Fresh memory is not zero.
/// Thread-safe.
class GuardedMemory {
public:
  explicit GuardedMemory(Bytes capacity) : capacity_(capacity) {}
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  DeviceResult<DevicePointer> allocate(Bytes size);
  /// Lost when something has written behind the buffer: on a real device that would have been a fault, or worse, none. The buffer
  /// is gone either way.
  DeviceResult<void> free(DevicePointer pointer);

  Bytes used() const;
  Bytes capacity() const { return capacity_; }

private:
  struct Buffer {
    Bytes size;
    std::size_t mapped = 0; ///< without the guards
  };

  const Bytes capacity_;
  mutable std::mutex mutex_;
  Bytes used_; ///< what buffers count for: their size in whole granules
  std::map<std::uint64_t, Buffer> buffers_;
};

} // namespace streamap
