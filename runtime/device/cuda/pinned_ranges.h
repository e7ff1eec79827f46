// StreamMAP runtime: which host memory is pinned.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace streamap::cuda {

/// What the process's CUDA devices have pinned, whichever of them: it is pinned for all. Thread-safe.
class PinnedRanges {
public:
  void add(const void *memory, std::size_t bytes);
  void remove(const void *memory);
  /// Whether all of the bytes are.
  bool contain(const void *memory, std::size_t bytes) const;

private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> ranges_;
};

} // namespace streamap::cuda
