// A double of libnvidia-ml.so.1: the devices of the CUDA double as the management library shows them, all of them and in PCI
// order, whatever CUDA_VISIBLE_DEVICES says.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/ledger.h"
#include "cuda/settings.h"
#include "device/nvml/nvml_types.h"

#define DOUBLE_API extern "C" __attribute__((visibility("default")))

namespace doubles {

using namespace streamap::nvml;

extern "C" {
#define NVML_FUNCTION(name, parameters) __attribute__((visibility("default"))) nvmlReturn_t name parameters;
#include "device/nvml/nvml_functions.def"
#include "nvml/other_functions.def"
#undef NVML_FUNCTION
/// For tests: these settings from the next nvmlInit_v2 on, instead of the environment's. Null: the environment's again.
__attribute__((visibility("default"))) void nvmlDoubleConfigure(const char *settings);
}

namespace {

struct Machine {
  Settings settings;
  std::vector<std::size_t> order; ///< positions in the settings, by PCI address
  std::unique_ptr<MemoryLedger> ledger;
};

std::mutex mutex; // of the three below
std::optional<Machine> machine;
unsigned users = 0;
std::optional<std::string> &given() {
  static std::optional<std::string> settings;
  return settings;
}

Machine inspect() {
  Machine made;
  made.settings = given() ? parseSettings(*given()) : settingsFromEnvironment();
  made.order = visibleDevices(made.settings, nullptr, "PCI_BUS_ID");
  made.ledger = std::make_unique<MemoryLedger>(made.settings.ledger, made.settings.devices.size());
  return made;
}

/// Handles are places in PCI order, from 1.
nvmlDevice_t handleOf(std::size_t place) {
  return reinterpret_cast<nvmlDevice_t>(place + 1);
}

nvmlReturn_t copyText(const std::string &text, char *to, unsigned length) {
  if (!to)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (text.size() >= length)
    return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

/// Runs \p body, which takes the machine, while the library is initialised.
template <class Body> nvmlReturn_t whileInitialised(Body &&body) {
  const std::lock_guard lock(mutex);
  return users > 0 ? body(*machine) : NVML_ERROR_UNINITIALIZED;
}

/// Runs \p body, which takes the machine, a device's place, and the device, for a handle that is one.
template <class Body> nvmlReturn_t withDevice(nvmlDevice_t device, Body &&body) {
  return whileInitialised([&](Machine &m) -> nvmlReturn_t {
    const std::size_t place = reinterpret_cast<std::size_t>(device) - 1;
    if (place >= m.order.size())
      return NVML_ERROR_INVALID_ARGUMENT;
    const DeviceSettings &found = m.settings.devices[m.order[place]];
    return found.lost ? NVML_ERROR_GPU_IS_LOST : body(m, place, found);
  });
}

template <class Fits> nvmlReturn_t findDevice(nvmlDevice_t *device, Fits fits) {
  return whileInitialised([&](Machine &m) -> nvmlReturn_t {
    if (!device)
      return NVML_ERROR_INVALID_ARGUMENT;
    for (std::size_t place = 0; place < m.order.size(); ++place)
      if (fits(m.settings.devices[m.order[place]], place)) {
        *device = handleOf(place);
        return NVML_SUCCESS;
      }
    return NVML_ERROR_NOT_FOUND;
  });
}

} // namespace

DOUBLE_API void nvmlDoubleConfigure(const char *settings) {
  const std::lock_guard lock(mutex);
  given() = settings ? std::optional<std::string>(settings) : std::nullopt;
  machine.reset();
  users = 0;
}

DOUBLE_API nvmlReturn_t nvmlInit_v2() {
  const std::lock_guard lock(mutex);
  try {
    if (!machine)
      machine = inspect();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what()); // a test with a slip in its settings must not pass by chance
    std::abort();
  }
  ++users;
  return NVML_SUCCESS;
}

DOUBLE_API nvmlReturn_t nvmlShutdown() {
  const std::lock_guard lock(mutex);
  if (users == 0)
    return NVML_ERROR_UNINITIALIZED;
  if (--users == 0)
    machine.reset();
  return NVML_SUCCESS;
}

DOUBLE_API nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length) {
  return whileInitialised([&](Machine &) { return copyText("580.0.0", version, length); });
}

DOUBLE_API nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) {
  return whileInitialised([&](Machine &m) {
    *version = m.settings.driverVersion;
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) {
  return whileInitialised([&](Machine &m) {
    *count = static_cast<unsigned>(m.order.size());
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
  const nvmlReturn_t found = findDevice(device, [&](const DeviceSettings &, std::size_t place) { return place == index; });
  return found == NVML_ERROR_NOT_FOUND ? NVML_ERROR_INVALID_ARGUMENT : found;
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  return findDevice(device, [&](const DeviceSettings &candidate, std::size_t) { return candidate.uuid == uuid; });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device) {
  // NVML writes eight digits of domain where CUDA writes four, and takes both.
  return findDevice(
      device, [&](const DeviceSettings &candidate, std::size_t) { return candidate.pci == id || "0000" + candidate.pci == id; });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index) {
  return withDevice(device, [&](Machine &, std::size_t place, const DeviceSettings &) {
    *index = static_cast<unsigned>(place);
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length) {
  return withDevice(device,
                    [&](Machine &, std::size_t, const DeviceSettings &found) { return copyText(found.name, name, length); });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length) {
  return withDevice(device,
                    [&](Machine &, std::size_t, const DeviceSettings &found) { return copyText(found.uuid, uuid, length); });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  return withDevice(device, [&](Machine &, std::size_t, const DeviceSettings &found) {
    const auto field = [&](std::size_t place, std::size_t digits) {
      return static_cast<unsigned>(std::strtoul(found.pci.substr(place, digits).c_str(), nullptr, 16));
    };
    *pci = {};
    pci->domain = field(0, 4);
    pci->bus = field(5, 2);
    pci->device = field(8, 2);
    copyText(found.pci, pci->busIdLegacy, sizeof pci->busIdLegacy);
    return copyText("0000" + found.pci, pci->busId, sizeof pci->busId);
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  return withDevice(device, [&](Machine &m, std::size_t place, const DeviceSettings &found) {
    memory->total = found.memory;
    memory->used = std::min<unsigned long long>(found.taken + m.ledger->used(m.order[place]), found.memory);
    memory->free = memory->total - memory->used;
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization) {
  return withDevice(device, [&](Machine &, std::size_t, const DeviceSettings &found) {
    utilization->gpu = found.busy ? 100 : 0;
    utilization->memory = 0;
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned *celsius) {
  return withDevice(device, [&](Machine &, std::size_t, const DeviceSettings &found) {
    *celsius = static_cast<unsigned>(found.temperature);
    return sensor == NVML_TEMPERATURE_GPU ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                                nvmlProcessInfo_t *processes) {
  return withDevice(device, [&](Machine &, std::size_t, const DeviceSettings &found) {
    const unsigned room = *count;
    *count = static_cast<unsigned>(found.others);
    if (room < *count)
      return NVML_ERROR_INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < *count; ++i) // numbers that no process has: above what the kernel gives out
      processes[i] = {0x40000001 + i, found.taken / *count, 0xffffffff, 0xffffffff};
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
  return withDevice(device, [&](Machine &, std::size_t, const DeviceSettings &found) {
    *major = found.ccMajor;
    *minor = found.ccMinor;
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor) {
  return withDevice(device, [&](Machine &, std::size_t place, const DeviceSettings &) {
    *minor = static_cast<unsigned>(place);
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts) {
  return withDevice(device, [&](Machine &, std::size_t, const DeviceSettings &found) {
    *milliwatts = found.busy ? 300'000 : 50'000;
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *, unsigned *) {
  return withDevice(device, [](Machine &, std::size_t, const DeviceSettings &) { return NVML_ERROR_NOT_SUPPORTED; });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count) {
  return withDevice(device, [&](Machine &, std::size_t, const DeviceSettings &) {
    *count = 0;
    return NVML_SUCCESS;
  });
}

DOUBLE_API nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned, nvmlDevice_t *) {
  return withDevice(device, [](Machine &, std::size_t, const DeviceSettings &) { return NVML_ERROR_NOT_SUPPORTED; });
}

/// For people; needs nothing initialised.
DOUBLE_API const char *nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
  case NVML_SUCCESS:
    return "Success";
  case NVML_ERROR_UNINITIALIZED:
    return "Uninitialized";
  case NVML_ERROR_INVALID_ARGUMENT:
    return "Invalid Argument";
  case NVML_ERROR_NOT_SUPPORTED:
    return "Not Supported";
  case NVML_ERROR_NOT_FOUND:
    return "Not Found";
  case NVML_ERROR_INSUFFICIENT_SIZE:
    return "Insufficient Size";
  case NVML_ERROR_GPU_IS_LOST:
    return "GPU is lost";
  default:
    return "Unknown Error";
  }
}

} // namespace doubles
