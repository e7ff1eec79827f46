// The doubles: what hardware they pretend to be, and how they misbehave.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "settings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace doubles {
namespace {

[[noreturn]] void reject(const std::string &what) {
  throw std::invalid_argument("CUDA_DOUBLE: " + what);
}

std::string trimmed(const std::string &text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> pieces(const std::string &text, char separator) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string piece; std::getline(stream, piece, separator);)
    if (!trimmed(piece).empty())
      list.push_back(trimmed(piece));
  return list;
}

std::uint64_t number(const std::string &text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    reject("'" + text + "' is not a number");
  return value;
}

int smallNumber(const std::string &text) {
  const std::uint64_t value = number(text);
  if (value > 1'000'000)
    reject("'" + text + "' is too much");
  return static_cast<int>(value);
}

std::uint64_t byteCount(const std::string &text) {
  static const std::map<std::string, int> shifts{{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  const auto digits = text.find_first_not_of("0123456789");
  const auto unit = shifts.find(digits == std::string::npos ? "" : text.substr(digits));
  if (unit == shifts.end())
    reject("'" + text + "' is not a size (B, KiB, MiB, GiB)");
  return number(text.substr(0, digits)) << unit->second;
}

void setDevice(DeviceSettings &device, const std::string &key, const std::string &value) {
  static const std::map<std::string, int> modes{{"default", 0}, {"prohibited", 2}, {"exclusive", 3}};
  if (key == "name")
    device.name = value;
  else if (key == "uuid")
    device.uuid = value;
  else if (key == "pci")
    device.pci = value;
  else if (key == "memory")
    device.memory = byteCount(value);
  else if (key == "taken")
    device.taken = byteCount(value);
  else if (key == "sms")
    device.sms = smallNumber(value);
  else if (key == "busy")
    device.busy = smallNumber(value) != 0;
  else if (key == "broken")
    device.broken = smallNumber(value);
  else if (key == "temperature")
    device.temperature = smallNumber(value);
  else if (key == "lost")
    device.lost = smallNumber(value) != 0;
  else if (key == "others")
    device.others = smallNumber(value);
  else if (key == "mode" && modes.contains(value))
    device.computeMode = modes.at(value);
  else if (key == "cc" && value.find('.') != std::string::npos) {
    device.ccMajor = smallNumber(value.substr(0, value.find('.')));
    device.ccMinor = smallNumber(value.substr(value.find('.') + 1));
  } else
    reject("no device has " + key + "=" + value);
}

/// `cuMemAlloc_v2:3=2` the third call; `kernel:2+=719` the second and all later ones.
void addInjection(Settings &settings, const std::string &text) {
  const auto colon = text.find(':');
  const auto equals = text.find('=', colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || equals == std::string::npos)
    reject("'" + text + "' is not call:nth=code");
  std::string nth = text.substr(colon + 1, equals - colon - 1);
  Injection injection;
  if (nth.ends_with('+')) {
    injection.count = UINT64_MAX;
    nth.pop_back();
  }
  injection.nth = number(nth);
  injection.result = smallNumber(text.substr(equals + 1));
  settings.injections.emplace(text.substr(0, colon), injection);
}

void setPeers(Settings &settings, const std::string &value) {
  settings.allPeers = value == "all";
  settings.peers.clear();
  if (value == "all" || value == "none")
    return;
  for (const std::string &pair : pieces(value, ',')) {
    const auto dash = pair.find('-');
    if (dash == std::string::npos)
      reject("'" + pair + "' is not from-to");
    settings.peers.emplace(smallNumber(pair.substr(0, dash)), smallNumber(pair.substr(dash + 1)));
  }
}

bool setGeneral(Settings &settings, const std::string &key, const std::string &value) {
  if (key == "devices") {
    settings.devices.resize(static_cast<std::size_t>(smallNumber(value)),
                            settings.devices.empty() ? DeviceSettings{} : settings.devices[0]);
  } else if (key == "driver")
    settings.driverVersion = smallNumber(value);
  else if (key == "peers")
    setPeers(settings, value);
  else if (key == "delay_us")
    settings.delayMicroseconds = number(value);
  else if (key == "seed")
    settings.seed = number(value);
  else if (key == "log")
    settings.log = value;
  else if (key == "twins")
    settings.twins = value;
  else if (key == "ledger")
    settings.ledger = value;
  else if (key == "fail") {
    for (const std::string &one : pieces(value, ','))
      addInjection(settings, one);
  } else
    return false;
  return true;
}

void readEntries(Settings &settings, const std::string &text) {
  std::string lines = text;
  std::replace(lines.begin(), lines.end(), ';', '\n');
  for (const std::string &line : pieces(lines, '\n')) {
    const std::string entry = trimmed(line.substr(0, line.find('#')));
    if (entry.empty())
      continue;
    const auto equals = entry.find('=');
    if (equals == std::string::npos)
      reject("'" + entry + "' is not key=value");
    const std::string key = trimmed(entry.substr(0, equals)), value = trimmed(entry.substr(equals + 1));
    if (key == "file") {
      std::ifstream file(value);
      if (!file)
        reject("cannot read " + value);
      std::ostringstream contents;
      contents << file.rdbuf();
      readEntries(settings, contents.str());
    } else if (const auto dot = key.find('.'); dot != std::string::npos) {
      const std::uint64_t index = number(key.substr(0, dot));
      if (index >= settings.devices.size())
        reject("there is no device " + key.substr(0, dot));
      setDevice(settings.devices[index], key.substr(dot + 1), value);
    } else if (!setGeneral(settings, key, value)) {
      for (DeviceSettings &device : settings.devices)
        setDevice(device, key, value);
    }
  }
}

/// Whatever was not said differs from device to device, as on a real machine.
void completeDevices(Settings &settings) {
  for (std::size_t i = 0; i < settings.devices.size(); ++i) {
    DeviceSettings &device = settings.devices[i];
    char text[64];
    if (device.uuid.empty()) {
      std::snprintf(text, sizeof text, "GPU-%08zx-d0b1-4e00-8000-%012zx", 0x51ab0000 + i * 0x101, i);
      device.uuid = text;
    }
    if (device.pci.empty()) {
      std::snprintf(text, sizeof text, "0000:%02zx:00.0", i + 1);
      device.pci = text;
    }
    if (std::count_if(device.uuid.begin() + 4, device.uuid.end(), [](char c) { return c != '-'; }) != 32 ||
        !device.uuid.starts_with("GPU-"))
      reject("'" + device.uuid + "' is not a UUID");
  }
}

/// What strtoul makes of an entry: its leading digits; nothing for none or a negative number.
std::optional<std::size_t> leadingNumber(const std::string &entry) {
  const std::size_t start = entry.starts_with('+') ? 1 : 0;
  const std::size_t end = std::min(entry.find_first_not_of("0123456789", start), entry.size());
  if (end == start || end - start > 9)
    return std::nullopt;
  return number(entry.substr(start, end - start));
}

} // namespace

Settings parseSettings(const std::string &text) {
  Settings settings;
  readEntries(settings, text);
  completeDevices(settings);
  return settings;
}

Settings settingsFromEnvironment() {
  const char *const text = std::getenv("CUDA_DOUBLE");
  return parseSettings(text ? text : "");
}

std::vector<std::size_t> visibleDevices(const Settings &settings, const char *visible, const char *order) {
  const auto &devices = settings.devices;
  std::vector<std::size_t> all(devices.size());
  std::iota(all.begin(), all.end(), 0);
  std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return devices[a].pci < devices[b].pci; });
  if (!order || std::strcmp(order, "PCI_BUS_ID") != 0) // FASTEST_FIRST is the driver's default
    std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return devices[a].sms > devices[b].sms; });
  if (!visible)
    return all;
  std::vector<std::size_t> seen;
  const bool byUuid = std::strncmp(visible, "GPU-", 4) == 0;
  std::istringstream entries(visible);
  for (std::string raw; std::getline(entries, raw, ',');) {
    const std::string entry = trimmed(raw);
    std::vector<std::size_t> fitting;
    if (byUuid && entry.starts_with("GPU-")) {
      std::copy_if(all.begin(), all.end(), std::back_inserter(fitting),
                   [&](std::size_t i) { return devices[i].uuid.starts_with(entry); });
    } else if (!byUuid) {
      if (const auto index = leadingNumber(entry); index && *index < all.size())
        fitting.push_back(all[*index]);
    }
    if (fitting.size() != 1) // no such device, or a prefix of several: this entry and the rest do not count
      break;
    if (std::find(seen.begin(), seen.end(), fitting[0]) != seen.end()) // a repeated one hides all
      return {};
    seen.push_back(fitting[0]);
  }
  return seen;
}

} // namespace doubles
