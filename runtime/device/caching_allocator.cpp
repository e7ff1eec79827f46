// StreamMAP runtime: device memory, given out again and again.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/caching_allocator.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace streamap {
namespace {

constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

} // namespace

CachingAllocator::~CachingAllocator() {
  for (const auto &[address, size] : reservations_)
    (void)source_.giveBack(DevicePointer{address}); // a device that is lost has nothing to give back
}

Bytes CachingAllocator::rounded(Bytes size) const {
  return options_.cutsBlocks ? Bytes{roundUp(size.value, granule)} : size;
}

DeviceResult<DevicePointer> CachingAllocator::allocate(Bytes size) {
  assert(size > Bytes{});
  if (size > options_.budget || rounded(size) > options_.budget)
    return deviceFailure(DeviceErrorKind::OutOfMemory,
                         describe(size) + " of memory are wanted, and only " + describe(options_.budget) + " may be used");
  size = rounded(size);
  if (const auto fit = idle_.lower_bound({size, 0}); fit != idle_.end())
    return use(blocks_.find(fit->second), size);
  const auto fresh = reserve(size);
  if (!fresh)
    return tl::make_unexpected(fresh.error());
  return use(*fresh, size);
}

/// A new reservation with at least \p size bytes.
DeviceResult<CachingAllocator::Blocks::iterator> CachingAllocator::reserve(Bytes size) {
  // What is idle but too small for this helps more when it is given back; exactly what is needed may fit where a round amount
  // does not.
  const Bytes round = options_.cutsBlocks ? Bytes{roundUp(size.value, step.value)} : size;
  auto block = tryReserve(round);
  if (!block && block.error().kind == DeviceErrorKind::OutOfMemory && round != size)
    block = tryReserve(size);
  if (!block && block.error().kind == DeviceErrorKind::OutOfMemory) {
    if (auto trimmed = trim(); !trimmed)
      return tl::make_unexpected(trimmed.error());
    block = tryReserve(round);
    if (!block && block.error().kind == DeviceErrorKind::OutOfMemory && round != size)
      block = tryReserve(size);
  }
  return block;
}

DeviceResult<CachingAllocator::Blocks::iterator> CachingAllocator::tryReserve(Bytes size) {
  if (size > options_.budget - reserved_)
    return deviceFailure(DeviceErrorKind::OutOfMemory, "no " + describe(size) + " of memory left: " + describe(allocated_) +
                                                           " allocated, " + describe(reserved_) + " reserved of " +
                                                           describe(options_.budget));
  const auto pointer = source_.reserve(size);
  if (!pointer)
    return tl::make_unexpected(pointer.error());
  reserved_ += size;
  mostReserved_ = std::max(mostReserved_, reserved_);
  reservations_[pointer->value] = size;
  idle_.insert({size, pointer->value});
  return blocks_.insert({pointer->value, {size, false, pointer->value}}).first;
}

/// Cuts \p size bytes from the front of an idle block.
DevicePointer CachingAllocator::use(Blocks::iterator block, Bytes size) {
  idle_.erase({block->second.size, block->first});
  if (block->second.size > size) {
    const Block rest{block->second.size - size, false, block->second.reservation};
    const std::uint64_t address = block->first + size.value;
    blocks_.insert({address, rest});
    idle_.insert({rest.size, address});
    block->second.size = size;
  }
  block->second.used = true;
  allocated_ += size;
  mostAllocated_ = std::max(mostAllocated_, allocated_);
  return DevicePointer{block->first};
}

/// Joins an unused block, which is not in idle_, with its unused neighbours of the same reservation.
CachingAllocator::Blocks::iterator CachingAllocator::join(Blocks::iterator block) {
  const auto joinable = [&](Blocks::iterator other) {
    return other != blocks_.end() && !other->second.used && other->second.reservation == block->second.reservation;
  };
  if (const auto next = std::next(block); joinable(next)) {
    idle_.erase({next->second.size, next->first});
    block->second.size += next->second.size;
    blocks_.erase(next);
  }
  if (block != blocks_.begin())
    if (const auto before = std::prev(block); joinable(before)) {
      idle_.erase({before->second.size, before->first});
      before->second.size += block->second.size;
      blocks_.erase(block);
      block = before;
    }
  return block;
}

DeviceResult<void> CachingAllocator::free(DevicePointer pointer) {
  const auto found = blocks_.find(pointer.value);
  assert(found != blocks_.end() && found->second.used);
  assert(allocated_ >= found->second.size);
  allocated_ -= found->second.size;
  found->second.used = false;
  const auto block = join(found);
  idle_.insert({block->second.size, block->first});
  return options_.cutsBlocks ? DeviceResult<void>{} : giveBack(block);
}

DeviceResult<void> CachingAllocator::giveBack(Blocks::iterator block) {
  assert(!block->second.used && reservations_.at(block->first) == block->second.size && reserved_ >= block->second.size);
  const DevicePointer pointer{block->first};
  idle_.erase({block->second.size, block->first});
  reserved_ -= block->second.size;
  reservations_.erase(block->first);
  blocks_.erase(block);
  return source_.giveBack(pointer);
}

DeviceResult<void> CachingAllocator::trim() {
  for (auto at = blocks_.begin(); at != blocks_.end();) {
    const auto block = at++;
    if (!block->second.used && reservations_.at(block->second.reservation) == block->second.size)
      if (auto back = giveBack(block); !back)
        return back;
  }
  return {};
}

} // namespace streamap
