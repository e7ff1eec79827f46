// StreamMAP runtime: what NVIDIA's management library knows of the machine's devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/nvml/nvml.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>

#include "base/text.h"

namespace streamap::nvml {

std::shared_ptr<const Library> Library::open(const std::string &library) {
  void *const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL); // stays: it is cheap, and others may use it
  if (!handle)
    return nullptr;
  const std::shared_ptr<Library> opened(new Library);
  bool complete = true;
#define NVML_FUNCTION(name, parameters)                                                                                          \
  opened->name = reinterpret_cast<decltype(opened->name)>(dlsym(handle, #name));                                                 \
  complete = complete && opened->name;
#include "device/nvml/nvml_functions.def"
#undef NVML_FUNCTION
  if (complete && opened->nvmlInit_v2() == NVML_SUCCESS)
    return opened;
  opened->nvmlShutdown = nullptr; // nothing to shut down
  return nullptr;
}

Library::~Library() {
  if (nvmlShutdown)
    nvmlShutdown();
}

nvmlReturn_t Library::find(const DeviceUuid &uuid, nvmlDevice_t &device) const {
  return nvmlDeviceGetHandleByUUID(describe(uuid).c_str(), &device);
}

std::string Library::driverVersion() const {
  std::array<char, 80> version{};
  return nvmlSystemGetDriverVersion(version.data(), version.size()) == NVML_SUCCESS ? version.data() : "";
}

std::optional<DeviceUuid> Library::uuidOf(nvmlDevice_t device) const {
  std::array<char, 96> text{};
  if (nvmlDeviceGetUUID(device, text.data(), text.size()) != NVML_SUCCESS)
    return std::nullopt;
  return parseDeviceUuid(text.data());
}

std::vector<DeviceUuid> Library::instancesOf(nvmlDevice_t device) const {
  std::vector<DeviceUuid> instances;
  unsigned current = 0, pending = 0, most = 0;
  if (nvmlDeviceGetMigMode(device, &current, &pending) != NVML_SUCCESS || current == 0 ||
      nvmlDeviceGetMaxMigDeviceCount(device, &most) != NVML_SUCCESS)
    return instances;
  for (unsigned i = 0; i < most; ++i) {
    nvmlDevice_t instance = nullptr;
    if (nvmlDeviceGetMigDeviceHandleByIndex(device, i, &instance) == NVML_SUCCESS)
      if (const auto uuid = uuidOf(instance))
        instances.push_back(*uuid);
  }
  return instances;
}

std::vector<ListedDevice> Library::devices() const {
  std::vector<ListedDevice> list;
  unsigned count = 0;
  if (nvmlDeviceGetCount_v2(&count) != NVML_SUCCESS)
    return list;
  for (unsigned i = 0; i < count; ++i) {
    nvmlDevice_t device = nullptr;
    std::array<char, 96> name{};
    nvmlPciInfo_t pci{};
    if (nvmlDeviceGetHandleByIndex_v2(i, &device) != NVML_SUCCESS ||
        nvmlDeviceGetName(device, name.data(), name.size()) != NVML_SUCCESS)
      continue;
    const auto uuid = uuidOf(device);
    if (!uuid)
      continue;
    ListedDevice &listed = list.emplace_back(ListedDevice{name.data(), *uuid, {}, instancesOf(device)});
    if (nvmlDeviceGetPciInfo_v3(device, &pci) == NVML_SUCCESS) {
      listed.pciBusId = pci.busId; // eight digits of domain, where CUDA and the kernel write four
      if (listed.pciBusId.starts_with("0000") && listed.pciBusId.size() > 12)
        listed.pciBusId.erase(0, 4);
      listed.pciBusId = lowered(listed.pciBusId);
    }
  }
  return list;
}

std::optional<NvmlIndex> Library::indexOf(const DeviceUuid &uuid) const {
  nvmlDevice_t device = nullptr;
  unsigned index = 0;
  if (find(uuid, device) != NVML_SUCCESS || nvmlDeviceGetIndex(device, &index) != NVML_SUCCESS)
    return std::nullopt;
  return NvmlIndex{index};
}

std::optional<DeviceState> Library::stateOf(const DeviceUuid &uuid) const {
  nvmlDevice_t device = nullptr;
  if (find(uuid, device) != NVML_SUCCESS)
    return std::nullopt;
  DeviceState state;
  nvmlMemory_t memory{};
  nvmlUtilization_t utilization{};
  unsigned celsius = 0;
  if (nvmlDeviceGetMemoryInfo(device, &memory) == NVML_SUCCESS) {
    state.used = Bytes{memory.used};
    state.total = Bytes{memory.total};
  }
  if (nvmlDeviceGetUtilizationRates(device, &utilization) == NVML_SUCCESS)
    state.busyPercent = static_cast<int>(utilization.gpu);
  if (nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &celsius) == NVML_SUCCESS)
    state.celsius = static_cast<int>(celsius);
  unsigned count = 64; // more processes than that on one device are not worth a second try
  std::vector<nvmlProcessInfo_t> processes(count);
  if (nvmlDeviceGetComputeRunningProcesses_v3(device, &count, processes.data()) == NVML_SUCCESS)
    for (unsigned i = 0; i < count; ++i)
      if (processes[i].pid != static_cast<unsigned>(getpid()))
        state.others.push_back({processes[i].pid, Bytes{processes[i].usedGpuMemory}});
  return state;
}

bool Library::isLost(const DeviceUuid &uuid) const {
  nvmlDevice_t device = nullptr;
  nvmlMemory_t memory{};
  const nvmlReturn_t found = find(uuid, device);
  return found == NVML_ERROR_GPU_IS_LOST ||
         (found == NVML_SUCCESS && nvmlDeviceGetMemoryInfo(device, &memory) == NVML_ERROR_GPU_IS_LOST);
}

} // namespace streamap::nvml
