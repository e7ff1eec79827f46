// StreamMAP runtime: what names a device, and what lives on it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/device_ids.h"

#include <xxhash.h>

#include <algorithm>

namespace streamap {
namespace {

constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::string_view digits = "0123456789abcdef";

std::optional<std::uint8_t> digitOf(char c) {
  if (c >= 'A' && c <= 'F')
    c = static_cast<char>(c - 'A' + 'a');
  const std::size_t at = digits.find(c);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<std::uint8_t>(at));
}

} // namespace

std::string describe(const DeviceUuid &uuid) {
  std::string text = uuid.kind == DeviceUuid::Kind::Mig ? "MIG-" : "GPU-";
  std::size_t half = 0; // hexadecimal digits so far
  for (const char c : form) {
    if (c == '-') {
      text += c;
      continue;
    }
    const std::uint8_t byte = uuid.bytes[half / 2];
    text += digits[half % 2 == 0 ? byte >> 4 : byte & 15];
    ++half;
  }
  return text;
}

std::optional<DeviceUuid> parseDeviceUuid(std::string_view text) {
  DeviceUuid uuid;
  if (text.starts_with("MIG-"))
    uuid.kind = DeviceUuid::Kind::Mig;
  else if (!text.starts_with("GPU-"))
    return std::nullopt;
  text.remove_prefix(4);
  if (text.size() != form.size())
    return std::nullopt;
  std::size_t half = 0;
  for (std::size_t k = 0; k < form.size(); ++k) {
    if (form[k] == '-') {
      if (text[k] != '-')
        return std::nullopt;
      continue;
    }
    const auto digit = digitOf(text[k]);
    if (!digit)
      return std::nullopt;
    std::uint8_t &byte = uuid.bytes[half / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | *digit);
    ++half;
  }
  return uuid;
}

DeviceUuid uuidFromText(std::string_view text) {
  const auto hash = XXH3_128bits(text.data(), text.size());
  DeviceUuid uuid;
  for (std::size_t k = 0; k < 8; ++k) {
    uuid.bytes[k] = static_cast<std::uint8_t>(hash.high64 >> (56 - 8 * k));
    uuid.bytes[8 + k] = static_cast<std::uint8_t>(hash.low64 >> (56 - 8 * k));
  }
  return uuid;
}

} // namespace streamap
