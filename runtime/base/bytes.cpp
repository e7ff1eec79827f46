// StreamMAP runtime: amounts of memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/bytes.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace streamap {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr std::array units{Unit{"", 1},         Unit{"B", 1},    Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20}, Unit{"GiB", 0x1p30},
                           Unit{"TiB", 0x1p40}, Unit{"kB", 1e3}, Unit{"MB", 1e6},     Unit{"GB", 1e9},     Unit{"TB", 1e12}};

} // namespace

Result<Bytes> parseBytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error == std::errc() && number >= 0)
    for (const Unit &known : units)
      if (const double bytes = number * known.bytes; known.name == unit && bytes < 0x1p63)
        return Bytes{static_cast<std::uint64_t>(std::llround(bytes))};
  return failure("an amount of memory such as 4096, 256MiB or 80GB is wanted, not '" + std::string(text) + "'");
}

std::string describe(Bytes amount) {
  if (amount.value < 10'000)
    return std::to_string(amount.value) + (amount.value == 1 ? " byte" : " bytes");
  constexpr std::array names{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(amount.value) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < names.size(); ++unit)
    value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, names[unit]);
  return text.data();
}

} // namespace streamap
