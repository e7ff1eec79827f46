// StreamMAP runtime: tasks that may start, most urgent first.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace streamap {

/// Orders by priority (higher first), then by number (program order). \p Item is what is queued. Not thread-safe.
template <class Item> class ReadyQueue {
public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  Item top() const { return heap_.front().item; }

  void push(Item item, std::int32_t priority, std::uint64_t number) {
    heap_.push_back({priority, number, item});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  Item pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Item item = heap_.back().item;
    heap_.pop_back();
    return item;
  }

private:
  struct Entry {
    std::int32_t priority;
    std::uint64_t number;
    Item item;
  };
  static bool later(const Entry &a, const Entry &b) {
    return a.priority != b.priority ? a.priority < b.priority : a.number > b.number;
  }
  std::vector<Entry> heap_;
};

} // namespace streamap
