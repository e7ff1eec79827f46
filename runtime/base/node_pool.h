// StreamMAP runtime: an allocator for the nodes of one container.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace streamap {

/// Memory for nodes of one size, kept until the pool goes: a node taken again after being given back costs a few instructions.
/// Not thread-safe.
class NodePool {
public:
  void *take(std::size_t bytes, std::size_t alignment) {
    if (bytes != nodeBytes) {
      if (nodeBytes != 0)
        return ::operator new(bytes, std::align_val_t(alignment));
      nodeBytes = bytes;
    }
    if (!freeNodes)
      refill(alignment);
    FreeNode *node = freeNodes;
    freeNodes = node->next;
    return node;
  }
  void give(void *memory, std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes != nodeBytes) {
      ::operator delete(memory, std::align_val_t(alignment));
      return;
    }
    freeNodes = new (memory) FreeNode{freeNodes};
  }

  NodePool() = default;
  NodePool(const NodePool &) = delete;
  NodePool &operator=(const NodePool &) = delete;
  ~NodePool() {
    for (const Block &block : blocks)
      ::operator delete(block.memory, std::align_val_t(block.alignment));
  }

private:
  struct FreeNode {
    FreeNode *next;
  };
  struct Block {
    void *memory;
    std::size_t alignment;
  };
  static constexpr std::size_t nodesPerBlock = 256;

  void refill(std::size_t alignment) {
    auto *memory = static_cast<std::byte *>(::operator new(nodeBytes * nodesPerBlock, std::align_val_t(alignment)));
    blocks.push_back({memory, alignment});
    for (std::size_t i = nodesPerBlock; i-- > 0;)
      freeNodes = new (memory + i * nodeBytes) FreeNode{freeNodes};
  }

  std::size_t nodeBytes = 0; ///< of the first node taken; others pass through
  FreeNode *freeNodes = nullptr;
  std::vector<Block> blocks;
};

/// A standard allocator over a NodePool that the container's owner keeps.
template <class T> class NodeAllocator {
public:
  using value_type = T;
  explicit NodeAllocator(NodePool &from) noexcept : pool(&from) {}
  template <class U> NodeAllocator(const NodeAllocator<U> &other) noexcept : pool(other.pool) {}

  T *allocate(std::size_t n) {
    static_assert(sizeof(T) >= sizeof(void *));
    return static_cast<T *>(pool->take(n * sizeof(T), alignof(T)));
  }
  void deallocate(T *memory, std::size_t n) noexcept { pool->give(memory, n * sizeof(T), alignof(T)); }
  template <class U> bool operator==(const NodeAllocator<U> &other) const noexcept { return pool == other.pool; }

  NodePool *pool;
};

} // namespace streamap
