// StreamMAP runtime: what one rank sees of the machine's devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/device_sight.h"

#include <algorithm>

#include "discover/visible_devices.h"

namespace streamap {
namespace {

template <class List> bool contains(const List &list, const DeviceUuid &uuid) {
  return std::any_of(list.begin(), list.end(), [&](const auto &device) { return device.uuid == uuid; });
}

/// What decides about CUDA's own order. The driver does not say how it compares; of a device that it hides nobody knows.
int speedOf(const DeviceUuid &uuid, std::span<const DeviceProperties> seen) {
  for (const DeviceProperties &device : seen)
    if (device.uuid == uuid)
      return device.multiprocessors;
  return 0;
}

} // namespace

std::vector<HiddenDevice> findHidden(std::span<const ListedDevice> machine, std::span<const DeviceProperties> seen,
                                     std::optional<std::string_view> visible, std::optional<std::string_view> order,
                                     std::vector<std::string> &notices) {
  std::vector<MachineGpu> gpus;
  for (const ListedDevice &device : machine)
    gpus.push_back({device.uuid, device.pciBusId, speedOf(device.uuid, seen), device.mig});
  if (gpus.empty())
    return {};
  VisibleDevices expected = visibleDevices(gpus, visible, order);
  notices.insert(notices.end(), expected.notices.begin(), expected.notices.end());
  // With numbers in CUDA's own order we may be wrong about which ones are meant, but not about how many.
  const bool variableExplains = visible && expected.devices.size() <= seen.size();
  std::vector<HiddenDevice> hidden;
  const auto consider = [&](const std::string &name, const DeviceUuid &uuid, bool divided) {
    if (contains(seen, uuid))
      return;
    const bool meant = std::find(expected.devices.begin(), expected.devices.end(), uuid) != expected.devices.end();
    if (visible && (variableExplains || !meant))
      hidden.push_back({name, uuid, "CUDA_VISIBLE_DEVICES=" + std::string(*visible) + " leaves it out"});
    else if (divided && !meant)
      hidden.push_back({name, uuid, "a process can use one MIG instance only"});
    else
      hidden.push_back(
          {name, uuid, "the CUDA driver does not offer it: no permission for its /dev/nvidia file, or it is broken"});
  };
  for (const ListedDevice &device : machine) {
    if (device.mig.empty())
      consider(device.name, device.uuid, false);
    for (const DeviceUuid &instance : device.mig)
      consider(device.name + " MIG instance", instance, true);
  }
  return hidden;
}

bool ordersDiffer(std::span<const DeviceProperties> devices) {
  const DeviceProperties *last = nullptr;
  for (const DeviceProperties &device : devices) {
    if (!device.nvml || !device.ordinal)
      continue;
    if (last && (last->nvml->value < device.nvml->value) != (last->ordinal->value < device.ordinal->value))
      return true;
    last = &device;
  }
  return false;
}

} // namespace streamap
