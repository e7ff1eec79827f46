// StreamMAP runtime: values to bytes and back.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks run the same file (checked at start), so bytes keep the machine's own order and layout; only integers that are usually
// small are packed.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/ids.h"

namespace streamap {

/// Appends to a buffer.
class WireWriter {
public:
  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }
  void clear() { bytes_.clear(); }

  template <class T> void put(const T &value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    append(&value, sizeof value);
  }
  /// Seven bits a byte, lowest first.
  void putPacked(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_.push_back(static_cast<std::byte>(value | 0x80));
    bytes_.push_back(static_cast<std::byte>(value));
  }
  void putBytes(std::span<const std::byte> bytes) {
    putPacked(bytes.size());
    append(bytes.data(), bytes.size());
  }
  void putText(std::string_view text) { putBytes(std::as_bytes(std::span(text.data(), text.size()))); }
  template <class T> void putAll(const std::vector<T> &values) {
    static_assert(std::is_trivially_copyable_v<T>);
    putPacked(values.size());
    append(values.data(), values.size() * sizeof(T));
  }
  /// Runs of equal length at equal distances take a few bytes, however many there are.
  void putRuns(std::span<const ByteRun> runs);
  /// Bytes without their number.
  void append(const void *from, std::size_t size) {
    const auto *const begin = static_cast<const std::byte *>(from);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }

private:
  std::vector<std::byte> bytes_;
};

/// Takes from a buffer what a WireWriter put there, in the same order. What is missing reads as zero and empty, and ok() says so.
class WireReader {
public:
  explicit WireReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  std::span<const std::byte> rest() const { return rest_; }

  template <class T> T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (const auto from = next(sizeof(T)); !from.empty())
      std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }
  std::uint64_t getPacked() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(get<std::byte>());
      value |= (byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
    ok_ = false;
    return 0;
  }
  std::span<const std::byte> getBytes() { return next(getPacked()); }
  std::string getText() {
    const auto bytes = getBytes();
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  template <class T> std::vector<T> getAll() {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::uint64_t count = getPacked();
    if (count > rest_.size() / sizeof(T)) {
      ok_ = false;
      return {};
    }
    const auto from = next(count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0)
      std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  std::vector<ByteRun> getRuns();

private:
  std::span<const std::byte> next(std::uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

} // namespace streamap
