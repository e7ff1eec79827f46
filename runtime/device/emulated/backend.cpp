// StreamMAP runtime: devices made of this machine's processor and memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/emulated/backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "config/settings.h"
#include "device/emulated/emulated_device.h"
#include "device/options.h"

namespace streamap {
namespace {

struct Emulation {
  int count = 1;
  Bytes memory = 1_GiB;
  ComputeCapability capability{9, 0};
  int multiprocessors = 16;
  std::string name = "emulated GPU";
  bool onePerNode = false;
  bool guards = true;
  ComputeMode mode = ComputeMode::Default;
  EmulationModel model;
};

Result<void> readWord(const std::string &value, std::array<std::string_view, 2> words, bool &second) {
  const auto found = std::find(words.begin(), words.end(), value);
  if (found == words.end()) {
    const auto near = nearestName(value, words);
    return failure("'" + value + "' is not one of its values, " + std::string(words[0]) + " and " + std::string(words[1]) +
                   (near ? "; did you mean '" + std::string(*near) + "'?" : ""));
  }
  second = found != words.begin();
  return {};
}

Result<void> readWhole(const std::string &value, double most, double &into) {
  const auto number = readNumber(value, 0, most);
  if (!number)
    return tl::make_unexpected(number.error());
  if (*number != std::floor(*number))
    return failure("a whole number is wanted, not '" + value + "'");
  into = *number;
  return {};
}

class EmulatedBackend final : public Backend {
public:
  EmulatedBackend(Emulation emulation, const BackendContext &context) : emulation_(std::move(emulation)) {
    for (int k = 0; k < emulation_.count; ++k)
      devices_.push_back(describeDevice(k, context));
  }

  Discovery discover() override {
    Discovery found;
    found.devices = devices_;
    if (devices_.empty())
      found.reason = "the setting `devices` asks for none";
    return found;
  }

  DeviceResult<std::unique_ptr<Device>> open(const DeviceUuid &uuid, int number) override {
    for (const DeviceProperties &properties : devices_)
      if (properties.uuid == uuid)
        return std::make_unique<EmulatedDevice>(properties, number, emulation_.model);
    return deviceFailure(DeviceErrorKind::Misuse, "there is no emulated device " + describe(uuid));
  }

private:
  DeviceProperties describeDevice(int k, const BackendContext &context) const {
    DeviceProperties properties;
    properties.backend = "emulated";
    properties.vendor = "emulated";
    properties.name = emulation_.name;
    // Memory of a process is its own, so ranks have different devices, unless sharing is what is to be tried.
    const std::string rank = emulation_.onePerNode ? "" : std::to_string(context.rank);
    properties.uuid =
        uuidFromText("emulated/" + context.host + "/" + rank + "/" + std::to_string(context.part) + "/" + std::to_string(k));
    properties.capability = emulation_.capability;
    properties.memory = emulation_.memory;
    properties.multiprocessors = emulation_.multiprocessors;
    properties.mode = emulation_.mode;
    properties.guardsBuffers = emulation_.guards;
    return properties;
  }

  const Emulation emulation_;
  std::vector<DeviceProperties> devices_;
};

std::vector<KnownOption> optionsInto(Emulation &e) {
  return {
      {"memory",
       [&e](const std::string &value) -> Result<void> {
         const auto bytes = parseBytes(value);
         if (!bytes)
           return tl::make_unexpected(bytes.error());
         if (*bytes == Bytes{})
           return failure("a device without memory is of no use");
         e.memory = *bytes;
         return {};
       }},
      {"cc",
       [&e](const std::string &value) -> Result<void> {
         return readCapability(value).map([&](ComputeCapability capability) { e.capability = capability; });
       }},
      {"name",
       [&e](const std::string &value) -> Result<void> {
         e.name = value;
         return {};
       }},
      {"speed",
       [&e](const std::string &value) -> Result<void> {
         return readNumber(value, 1e-6, 1e6).map([&](double number) { e.model.iterationsPerNs = number; });
       }},
      {"bandwidth",
       [&e](const std::string &value) -> Result<void> {
         return parseBytes(value).map([&](Bytes bytes) { e.model.bytesPerNs = static_cast<double>(bytes.value) / 1e9; });
       }},
      {"latency",
       [&e](const std::string &value) -> Result<void> {
         return readNumber(value, 0, 1e6).map([&](double us) {
           e.model.latency = std::chrono::nanoseconds(static_cast<std::int64_t>(us * 1000));
         });
       }},
      {"multiprocessors",
       [&e](const std::string &value) -> Result<void> {
         double number = 0;
         return readWhole(value, 1e5, number).map([&] { e.multiprocessors = static_cast<int>(number); });
       }},
      {"per", [&e](const std::string &value) -> Result<void> { return readWord(value, {"rank", "node"}, e.onePerNode); }},
      {"guard", [&e](const std::string &value) -> Result<void> { return readWord(value, {"off", "on"}, e.guards); }},
      {"mode",
       [&e](const std::string &value) -> Result<void> {
         bool prohibited = false;
         return readWord(value, {"default", "prohibited"}, prohibited).map([&] {
           e.mode = prohibited ? ComputeMode::Prohibited : ComputeMode::Default;
         });
       }},
      {"fault",
       [&e](const std::string &value) -> Result<void> {
         double number = 0;
         return readWhole(value, 1e15, number).map([&] { e.model.faultAtLaunch = static_cast<std::uint64_t>(number); });
       }},
  };
}

} // namespace

Result<std::unique_ptr<Backend>> makeEmulatedBackend(int count, std::span<const DeviceOption> options,
                                                     const BackendContext &context) {
  Emulation emulation;
  if (count >= 0)
    emulation.count = count;
  const std::vector<KnownOption> known = optionsInto(emulation);
  if (auto read = readOptions(options, known); !read)
    return tl::make_unexpected(read.error());
  return std::make_unique<EmulatedBackend>(std::move(emulation), context);
}

} // namespace streamap
