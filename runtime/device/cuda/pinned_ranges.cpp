// StreamMAP runtime: which host memory is pinned.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/pinned_ranges.h"

namespace streamap::cuda {

void PinnedRanges::add(const void *memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  ranges_[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
}

void PinnedRanges::remove(const void *memory) {
  const std::lock_guard lock(mutex_);
  ranges_.erase(reinterpret_cast<std::uintptr_t>(memory));
}

bool PinnedRanges::contain(const void *memory, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  auto range = ranges_.upper_bound(address);
  if (range == ranges_.begin())
    return false;
  --range;
  const std::size_t offset = address - range->first;
  return offset <= range->second && bytes <= range->second - offset;
}

} // namespace streamap::cuda
