// The CUDA double: calls about the driver and its devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>
#include <optional>

#include "device_memory.h"
#include "functions.h"

namespace doubles {
namespace {

constexpr std::pair<CUresult, const char *> resultNames[] = {
#define NAMED(name, value) {name, #name},
    STREAMAP_CUDA_RESULTS(NAMED)
#undef NAMED
};

Device *deviceOf(World &world, CUdevice device) {
  return device >= 0 && static_cast<std::size_t>(device) < world.devices.size()
             ? world.devices[static_cast<std::size_t>(device)].get()
             : nullptr;
}

/// "0000:3b:00.0" has the domain, the bus and the device at these places.
int pciField(const DeviceSettings &settings, std::size_t place, std::size_t digits) {
  return static_cast<int>(std::strtol(settings.pci.substr(place, digits).c_str(), nullptr, 16));
}

std::optional<int> attributeOf(const DeviceSettings &settings, CUdevice_attribute attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
    return 0x7fffffff;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return 48 * 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return 99 * 1024;
  case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    return 65536;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
    return 32;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return 2048;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return 1'000'000; // kHz
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return 256;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return 1 << 20;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return settings.sms;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
    return settings.computeMode;
  case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
    return pciField(settings, 0, 4);
  case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
    return pciField(settings, 5, 2);
  case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
    return pciField(settings, 8, 2);
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return settings.ccMajor;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return settings.ccMinor;
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    return 1;
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
    return 2;
  case CU_DEVICE_ATTRIBUTE_INTEGRATED:
  case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
  case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    return 0;
  case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID:
    return 0;
  }
  return std::nullopt;
}

/// As many bytes as fit, with a null at the end, as the driver does.
void copyText(char *to, int length, const std::string &text) {
  const std::size_t bytes = std::min(text.size(), static_cast<std::size_t>(length) - 1);
  std::memcpy(to, text.data(), bytes);
  to[bytes] = '\0';
}

CUuuid uuidOf(const DeviceSettings &settings) {
  CUuuid uuid{};
  std::string digits = settings.uuid.substr(4);
  std::erase(digits, '-');
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i)
    uuid.bytes[i] = static_cast<char>(std::strtol(digits.substr(2 * i, 2).c_str(), nullptr, 16));
  return uuid;
}

bool peers(const World &world, const Device &from, const Device &to) {
  if (&from == &to)
    return false;
  return world.settings.allPeers ||
         world.settings.peers.contains({static_cast<int>(from.position), static_cast<int>(to.position)});
}

template <class Body, class... Arguments>
CUresult deviceCall(const char *name, CUdevice device, Body &&body, const Arguments &...arguments) {
  return callApi(
      name, Needs::Device,
      [&](Call &call) -> CUresult {
        Device *const found = deviceOf(call.world, device);
        return found ? body(call, *found)
                     : call.misused(CUDA_ERROR_INVALID_DEVICE, "there is no device " + std::to_string(device));
      },
      arguments..., device);
}

} // namespace

DOUBLE_API CUresult cuInit(unsigned flags) {
  return callApi(
      "cuInit", Needs::Nothing,
      [&](Call &call) -> CUresult {
        if (flags != 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "flags must be 0");
        World &world = call.world;
        if (world.initialised)
          return CUDA_SUCCESS;
        const auto visible =
            visibleDevices(world.settings, std::getenv("CUDA_VISIBLE_DEVICES"), std::getenv("CUDA_DEVICE_ORDER"));
        if (visible.empty())
          return CUDA_ERROR_NO_DEVICE;
        for (const std::size_t position : visible) {
          world.devices.push_back(std::make_unique<Device>());
          Device &device = *world.devices.back();
          device.ordinal = static_cast<int>(world.devices.size()) - 1;
          device.position = position;
          device.settings = &world.settings.devices[position];
        }
        world.initialised = true;
        return CUDA_SUCCESS;
      },
      flags);
}

DOUBLE_API CUresult cuDriverGetVersion(int *version) {
  return callApi(
      "cuDriverGetVersion", Needs::Nothing,
      [&](Call &call) -> CUresult {
        if (!version)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "null");
        *version = call.world.settings.driverVersion;
        return CUDA_SUCCESS;
      },
      version);
}

DOUBLE_API CUresult cuGetErrorName(CUresult error, const char **name) {
  const auto *const found =
      std::find_if(std::begin(resultNames), std::end(resultNames), [&](const auto &entry) { return entry.first == error; });
  *name = found == std::end(resultNames) ? nullptr : found->second;
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DOUBLE_API CUresult cuGetErrorString(CUresult error, const char **text) {
  // The driver's texts are sentences of its own; ours are made of the name.
  static std::map<CUresult, std::string> &texts = *new std::map<CUresult, std::string>;
  static std::mutex mutex;
  const char *name = nullptr;
  *text = nullptr;
  if (cuGetErrorName(error, &name) != CUDA_SUCCESS)
    return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(mutex);
  std::string &sentence = texts[error];
  if (sentence.empty()) {
    sentence = std::string(name).substr(std::strncmp(name, "CUDA_ERROR_", 11) == 0 ? 11 : 5);
    for (char &c : sentence)
      c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  *text = sentence.c_str();
  return CUDA_SUCCESS;
}

DOUBLE_API CUresult cuDeviceGetCount(int *count) {
  return callApi(
      "cuDeviceGetCount", Needs::Init,
      [&](Call &call) -> CUresult {
        if (!count)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "null");
        *count = static_cast<int>(call.world.devices.size());
        return CUDA_SUCCESS;
      },
      count);
}

DOUBLE_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return deviceCall(
      "cuDeviceGet", ordinal,
      [&](Call &, Device &) -> CUresult {
        *device = ordinal;
        return CUDA_SUCCESS;
      },
      device);
}

DOUBLE_API CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return deviceCall(
      "cuDeviceGetName", device,
      [&](Call &call, Device &found) -> CUresult {
        if (!name || length < 1)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no room");
        copyText(name, length, found.settings->name);
        return CUDA_SUCCESS;
      },
      static_cast<void *>(name), length);
}

DOUBLE_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return deviceCall(
      "cuDeviceGetUuid_v2", device,
      [&](Call &, Device &found) -> CUresult {
        *uuid = uuidOf(*found.settings);
        return CUDA_SUCCESS;
      },
      uuid);
}

DOUBLE_API CUresult cuDeviceTotalMem_v2(std::size_t *bytes, CUdevice device) {
  return deviceCall(
      "cuDeviceTotalMem_v2", device,
      [&](Call &, Device &found) -> CUresult {
        *bytes = found.settings->memory;
        return CUDA_SUCCESS;
      },
      bytes);
}

DOUBLE_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return deviceCall(
      "cuDeviceGetAttribute", device,
      [&](Call &, Device &found) -> CUresult {
        const auto known = attributeOf(*found.settings, attribute);
        *value = known.value_or(0);
        return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; // an attribute that this double does not know yet
      },
      value, static_cast<unsigned>(attribute));
}

DOUBLE_API CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  return deviceCall(
      "cuDeviceGetPCIBusId", device,
      [&](Call &call, Device &found) -> CUresult {
        if (!id || length < 13)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no room");
        copyText(id, length, found.settings->pci);
        return CUDA_SUCCESS;
      },
      static_cast<void *>(id), length);
}

DOUBLE_API CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
  return callApi(
      "cuDeviceGetByPCIBusId", Needs::Init,
      [&](Call &call) -> CUresult {
        for (const auto &candidate : call.world.devices)
          if (candidate->settings->pci == id) {
            *device = candidate->ordinal;
            return CUDA_SUCCESS;
          }
        return CUDA_ERROR_INVALID_DEVICE;
      },
      device, id);
}

DOUBLE_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  return deviceCall(
      "cuDeviceCanAccessPeer", device,
      [&](Call &call, Device &found) -> CUresult {
        const Device *const other = deviceOf(call.world, peer);
        if (!other)
          return CUDA_ERROR_INVALID_DEVICE;
        *can = peers(call.world, found, *other);
        return CUDA_SUCCESS;
      },
      can, peer);
}

DOUBLE_API CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  return deviceCall(
      "cuDeviceGetP2PAttribute", from,
      [&](Call &call, Device &found) -> CUresult {
        const Device *const other = deviceOf(call.world, to);
        if (!other || other == &found)
          return CUDA_ERROR_INVALID_DEVICE;
        *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ? 0 : peers(call.world, found, *other);
        return CUDA_SUCCESS;
      },
      value, static_cast<unsigned>(attribute), to);
}

// Primary contexts are of devices too: calls_context.cpp uses these.
Device *findDevice(World &world, CUdevice device) {
  return deviceOf(world, device);
}
bool canReach(const World &world, const Device &from, const Device &to) {
  return peers(world, from, to);
}

} // namespace doubles
