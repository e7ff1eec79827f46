// StreamMAP runtime: the types of NVML that we use, declared by ourselves.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvml.h comes with the CUDA toolkit's nvml part alone, and building must not need it. Names, numbers and layouts are NVIDIA's.
#pragma once

#include <cstddef>

namespace streamap::nvml {

using nvmlDevice_t = struct nvmlDevice_st *;

enum nvmlReturn_t : unsigned {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NO_PERMISSION = 4,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_DRIVER_NOT_LOADED = 9,
  NVML_ERROR_LIBRARY_NOT_FOUND = 12,
  NVML_ERROR_GPU_IS_LOST = 15,
  NVML_ERROR_UNKNOWN = 999
};

enum nvmlTemperatureSensors_t : unsigned { NVML_TEMPERATURE_GPU = 0 };

struct nvmlMemory_t {
  unsigned long long total, free, used; ///< bytes
};
static_assert(sizeof(nvmlMemory_t) == 24);

struct nvmlUtilization_t {
  unsigned gpu, memory; ///< percent of the last sample's time
};
static_assert(sizeof(nvmlUtilization_t) == 8);

/// Version 2, which nvmlDeviceGetComputeRunningProcesses_v3 fills.
struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId, computeInstanceId;
};
static_assert(sizeof(nvmlProcessInfo_t) == 24 && offsetof(nvmlProcessInfo_t, usedGpuMemory) == 8);

struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};
static_assert(sizeof(nvmlPciInfo_t) == 68);

} // namespace streamap::nvml
