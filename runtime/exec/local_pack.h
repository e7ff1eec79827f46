// StreamMAP runtime: the argument pack that a task's code sees.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "exec/current_task.h"
#include "exec/orders.h"

namespace streamap {

/// A pack of our own, aligned for any type that a parameter may have, whose pointers can be set to where the data is.
class LocalPack {
public:
  explicit LocalPack(const LaunchPack &pack) {
    const std::size_t size = pack.bytes.size();
    if (size > sizeof small_) {
      large_.reset(static_cast<std::byte *>(::operator new(size, std::align_val_t{alignment})));
      bytes_ = large_.get();
    }
    if (size > 0)
      std::memcpy(bytes_, pack.bytes.data(), size);
  }

  std::uint64_t pointer(const streamap_param &param) const {
    std::uint64_t address = 0;
    std::memcpy(&address, bytes_ + param.offset, sizeof address);
    return address;
  }
  void setPointer(const streamap_param &param, std::uint64_t address) {
    std::memcpy(bytes_ + param.offset, &address, sizeof address);
  }
  void setPointer(const streamap_param &param, const void *address) {
    setPointer(param, reinterpret_cast<std::uint64_t>(address));
  }

  const void *data() const { return bytes_; }

private:
  static constexpr std::size_t alignment = 64;
  struct AlignedDelete {
    void operator()(std::byte *bytes) const { ::operator delete(bytes, std::align_val_t{alignment}); }
  };
  alignas(alignment) std::byte small_[448];
  std::unique_ptr<std::byte, AlignedDelete> large_;
  std::byte *bytes_ = small_;
};

/// Calls \p run(block) for each block of a task, with the thread's chunk set to that block's; once with the whole chunk for a
/// task without blocks.
template <class Run> void forEachBlock(const TaskShape &shape, TaskScope &scope, Run run) {
  if (shape.blocks <= 1)
    return run(std::int64_t{0});
  for (std::int64_t block = 0; block < shape.blocks; ++block) {
    // Distances are unsigned: a range may be wider than INT64_MAX.
    const std::uint64_t done = static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(shape.blockLength);
    const std::uint64_t left = static_cast<std::uint64_t>(shape.hi) - static_cast<std::uint64_t>(shape.lo) - done;
    const std::int64_t lo = static_cast<std::int64_t>(static_cast<std::uint64_t>(shape.lo) + done);
    const std::uint64_t length = std::min(left, static_cast<std::uint64_t>(shape.blockLength));
    scope.setChunk(lo, static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + length));
    run(block);
  }
}

} // namespace streamap
