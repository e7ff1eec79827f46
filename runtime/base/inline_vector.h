// StreamMAP runtime: a vector whose first few elements need no allocation.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace streamap {

/// Like std::vector, for trivially copyable elements, with room for \p N of them in the object itself. At most 2^32 - 1 elements.
template <class T, std::uint32_t N> class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && N > 0);

public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  InlineVector() noexcept {}
  InlineVector(const InlineVector &other) { append(other); }
  InlineVector(InlineVector &&other) noexcept { take(other); }
  ~InlineVector() { release(); }

  InlineVector &operator=(const InlineVector &other) {
    if (this != &other) {
      clear();
      append(other);
    }
    return *this;
  }
  InlineVector &operator=(InlineVector &&other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }

  T *begin() noexcept { return isInline() ? inlineData() : storage.heap; }
  T *end() noexcept { return begin() + count; }
  const T *begin() const noexcept { return isInline() ? inlineData() : storage.heap; }
  const T *end() const noexcept { return begin() + count; }
  std::uint32_t size() const noexcept { return count; }
  bool empty() const noexcept { return count == 0; }
  T &operator[](std::uint32_t i) noexcept { return assert(i < count), begin()[i]; }
  const T &operator[](std::uint32_t i) const noexcept { return assert(i < count), begin()[i]; }
  T &back() noexcept { return (*this)[count - 1]; }

  void push_back(T value) {
    if (count == capacity)
      grow();
    begin()[count++] = value;
  }
  void clear() noexcept { count = 0; }
  /// Shortens to \p size elements.
  void truncate(std::uint32_t size) noexcept {
    assert(size <= count);
    count = size;
  }
  /// Removes element \p i; the last one takes its place.
  void eraseUnordered(std::uint32_t i) noexcept {
    (*this)[i] = back();
    --count;
  }

  friend bool operator==(const InlineVector &a, const InlineVector &b) {
    if (a.count != b.count)
      return false;
    for (std::uint32_t i = 0; i < a.count; ++i)
      if (!(a[i] == b[i]))
        return false;
    return true;
  }

private:
  bool isInline() const noexcept { return capacity == N; }
  T *inlineData() noexcept { return reinterpret_cast<T *>(storage.bytes); }
  const T *inlineData() const noexcept { return reinterpret_cast<const T *>(storage.bytes); }

  void append(const InlineVector &other) {
    for (const T &value : other)
      push_back(value);
  }
  void take(InlineVector &other) noexcept {
    storage = other.storage;
    count = std::exchange(other.count, 0);
    capacity = std::exchange(other.capacity, N);
  }
  void release() noexcept {
    if (!isInline())
      std::allocator<T>().deallocate(storage.heap, capacity);
    capacity = N;
    count = 0;
  }
  void grow() {
    std::uint32_t wider = capacity * 2;
    T *fresh = std::allocator<T>().allocate(wider);
    std::uninitialized_copy(begin(), end(), fresh);
    std::uint32_t kept = count;
    release();
    storage.heap = fresh;
    capacity = wider;
    count = kept;
  }

  union Storage {
    Storage() noexcept {}
    T *heap;
    alignas(T) unsigned char bytes[N * sizeof(T)]; // NOLINT(bugprone-sizeof-expression): T may be a pointer
  } storage;
  std::uint32_t count = 0;
  std::uint32_t capacity = N; ///< N: the elements are in the object; more: on the heap
};

} // namespace streamap
