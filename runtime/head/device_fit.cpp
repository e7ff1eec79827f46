// StreamMAP runtime: whether a device can run a G task.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "head/device_fit.h"

#include <span>

#include "device/image_choice.h"

namespace streamap {
namespace {

bool related(std::int64_t value, std::uint8_t relation, std::int64_t to) {
  switch (relation) {
  case STREAMAP_GE:
    return value >= to;
  case STREAMAP_GT:
    return value > to;
  case STREAMAP_LE:
    return value <= to;
  case STREAMAP_LT:
    return value < to;
  default:
    return value == to;
  }
}

std::string lowered(std::string text) {
  for (char &c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

const char *nameOf(std::uint8_t key) {
  switch (key) {
  case STREAMAP_REQUIRE_CC:
    return "cc";
  case STREAMAP_REQUIRE_TENSORCORE:
    return "tensorcore";
  case STREAMAP_REQUIRE_MEMORY:
    return "memory";
  case STREAMAP_REQUIRE_VENDOR:
    return "vendor";
  case STREAMAP_REQUIRE_NAME:
    return "name";
  case STREAMAP_REQUIRE_UUID:
    return "uuid";
  default:
    return "label";
  }
}

} // namespace

bool meets(const DeviceProperties &device, const streamap_requirement &requirement) {
  const std::string text = lowered(requirement.text ? requirement.text : "");
  switch (requirement.key) {
  case STREAMAP_REQUIRE_CC:
    return related(device.capability.number(), requirement.relation, requirement.number);
  case STREAMAP_REQUIRE_TENSORCORE:
    return device.capability >= ComputeCapability{7, 0};
  case STREAMAP_REQUIRE_MEMORY:
    return related(static_cast<std::int64_t>(device.memory.value), requirement.relation, requirement.number);
  case STREAMAP_REQUIRE_VENDOR:
    return lowered(device.vendor) == text;
  case STREAMAP_REQUIRE_NAME:
    return lowered(device.name).find(text) != std::string::npos;
  case STREAMAP_REQUIRE_UUID:
    return lowered(describe(device.uuid)).starts_with(text);
  default: // no device has labels
    return false;
  }
}

Result<void> fitsDevice(const streamap_task &task, const streamap_images &images, const DeviceOffer &offer, Bytes memory) {
  const streamap_task &from = task.requirements || !task.base ? task : *task.base;
  for (const streamap_requirement &requirement : std::span(from.requirements, from.nrequirements))
    if (!meets(offer.properties, requirement))
      return failure(offer.properties.name + " does not meet its require(" + nameOf(requirement.key) + ")");
  if (auto image = chooseImage(images, offer.properties); !image)
    return tl::make_unexpected(image.error());
  if (memory > offer.budget)
    return failure("a task needs " + describe(memory) + " of memory, and of " + offer.properties.name + "'s tasks may use " +
                   describe(offer.budget));
  return {};
}

} // namespace streamap
