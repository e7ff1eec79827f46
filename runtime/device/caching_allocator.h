// StreamMAP runtime: device memory, given out again and again.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asking a GPU for memory takes up to a millisecond, and giving it back waits for everything that runs. So memory that has been
// reserved once is kept and cut to what is asked for. What is reserved and what is allocated are different amounts, and both are
// told.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "device/device_error.h"
#include "device/device_ids.h"

namespace streamap {

/// Where reservations come from: a device, or a test.
class MemorySource {
public:
  virtual ~MemorySource() = default;
  virtual DeviceResult<DevicePointer> reserve(Bytes size) = 0;
  virtual DeviceResult<void> giveBack(DevicePointer pointer) = 0;
};

/// Not thread-safe. Gives everything back when it goes.
class CachingAllocator {
public:
  struct Options {
    Bytes budget; ///< never reserves more in all
    bool cutsBlocks =
        true; ///< false: a reservation for each block, exactly as large, given back at once, so that guards around it work
  };
  /// Addresses and sizes are multiples of it.
  static constexpr std::uint64_t granule = 512;
  /// Small blocks are cut from reservations of this size; large ones have their own, rounded up to it.
  static constexpr Bytes step{std::uint64_t{2} << 20};

  CachingAllocator(MemorySource &source, Options options) : source_(source), options_(options) {}
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator &) = delete;
  CachingAllocator &operator=(const CachingAllocator &) = delete;

  /// OutOfMemory when neither the budget nor what is reserved has room in one piece, after idle reservations have been given
  /// back; other errors are the source's. \p size is not 0.
  DeviceResult<DevicePointer> allocate(Bytes size);
  /// \p pointer comes from allocate(). Errors are the source's (a lost device); the block is gone all the same.
  DeviceResult<void> free(DevicePointer pointer);
  /// Gives idle reservations back.
  DeviceResult<void> trim();

  Bytes budget() const { return options_.budget; }
  Bytes reserved() const { return reserved_; }
  Bytes allocated() const { return allocated_; }
  Bytes mostReserved() const { return mostReserved_; }
  Bytes mostAllocated() const { return mostAllocated_; }

private:
  struct Block {
    Bytes size;
    bool used = false;
    std::uint64_t reservation = 0; ///< address
  };
  using Blocks = std::map<std::uint64_t, Block>; ///< by address

  Bytes rounded(Bytes size) const;
  DeviceResult<Blocks::iterator> reserve(Bytes size);
  DeviceResult<Blocks::iterator> tryReserve(Bytes size);
  DevicePointer use(Blocks::iterator block, Bytes size);
  Blocks::iterator join(Blocks::iterator block);
  DeviceResult<void> giveBack(Blocks::iterator block);

  MemorySource &source_;
  const Options options_;
  Blocks blocks_;
  std::set<std::pair<Bytes, std::uint64_t>> idle_; ///< unused blocks by size, then address
  std::map<std::uint64_t, Bytes> reservations_;
  Bytes reserved_, allocated_, mostReserved_, mostAllocated_;
};

} // namespace streamap
