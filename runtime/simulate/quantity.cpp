// StreamMAP simulator: amounts as people write them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/bytes.h"

namespace streamap::simulate {
namespace {

struct Unit {
  const char *name;
  double seconds;
};
constexpr std::array<Unit, 4> units{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

} // namespace

Result<Seconds> parseSeconds(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' '))
    unit.remove_prefix(1);
  if (error == std::errc() && std::isfinite(value) && value >= 0) {
    if (unit.empty())
      return value;
    for (const Unit &known : units)
      if (unit == known.name)
        return value * known.seconds;
  }
  return failure("a time like 2us, 1.5ms or 20s is wanted, not '" + std::string(text) + "'");
}

Result<double> parseBandwidth(std::string_view text) {
  if (text.ends_with("/s"))
    if (const auto bytes = parseBytes(text.substr(0, text.size() - 2)); bytes && bytes->value > 0)
      return static_cast<double>(bytes->value);
  return failure("a bandwidth like 10GB/s or 25GiB/s is wanted, not '" + std::string(text) + "'");
}

std::string describeSeconds(Seconds time) {
  const Unit *unit = &units.front();
  for (const Unit &next : units) {
    unit = &next;
    if (time >= next.seconds)
      break;
  }
  std::array<char, 32> text{};
  const double value = time / unit->seconds;
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, time == 0 ? "s" : unit->name);
  return text.data();
}

} // namespace streamap::simulate
