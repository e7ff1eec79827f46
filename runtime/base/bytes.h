// StreamMAP runtime: amounts of memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace streamap {

/// An amount of memory. Only mixes with its own kind, so that it is never taken for an address or a count of elements.
struct Bytes {
  std::uint64_t value = 0;

  constexpr Bytes() = default;
  constexpr explicit Bytes(std::uint64_t bytes) : value(bytes) {}

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.value + b.value}; }
  /// \p b must not be more than \p a.
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes{a.value - b.value}; }
  friend constexpr Bytes operator*(Bytes a, std::uint64_t times) { return Bytes{a.value * times}; }
  constexpr Bytes &operator+=(Bytes other) {
    value += other.value;
    return *this;
  }
  constexpr Bytes &operator-=(Bytes other) {
    value -= other.value;
    return *this;
  }
};

constexpr Bytes operator""_KiB(unsigned long long count) {
  return Bytes{count << 10};
}
constexpr Bytes operator""_MiB(unsigned long long count) {
  return Bytes{count << 20};
}
constexpr Bytes operator""_GiB(unsigned long long count) {
  return Bytes{count << 30};
}

/// Reads `4096`, `256MiB`, `1.5GiB`, `80GB`: a number, then nothing (bytes), a binary unit (KiB, MiB, GiB, TiB) or a decimal one
/// (kB, MB, GB, TB). Anything else is an error that says so.
Result<Bytes> parseBytes(std::string_view text);

/// `1.5 GiB`: three digits and the largest binary unit that leaves at least 1; `4096 bytes` where that is exact and short.
std::string describe(Bytes amount);

} // namespace streamap
