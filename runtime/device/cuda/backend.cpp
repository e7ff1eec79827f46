// StreamMAP runtime: NVIDIA's devices, through the CUDA driver.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/backend.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fstream>
#include <utility>

#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_error.h"
#include "device/nvml/nvml.h"
#include "device/options.h"

namespace streamap {
namespace cuda {
namespace {

struct Libraries {
  std::string driver = "libcuda.so.1", nvml = "libnvidia-ml.so.1";
  Bytes piece = 4_MiB;
};

/// Asks for facts of one device; the first call that fails is remembered, and what follows gives zeros.
class Question {
public:
  Question(const Driver &driver, CUdevice device) : driver_(driver), device_(device) {}

  template <class... Arguments>
  void ask(const char *name, CUresult (*call)(Arguments...), std::type_identity_t<Arguments>... arguments) {
    if (result_ != CUDA_SUCCESS)
      return;
    result_ = call(arguments...);
    failed_ = name;
  }
  int attribute(CUdevice_attribute which) {
    int value = 0;
    ask("cuDeviceGetAttribute", driver_.cuDeviceGetAttribute, &value, which, device_);
    return value;
  }
  std::uint32_t limit(CUdevice_attribute which) { return static_cast<std::uint32_t>(attribute(which)); }
  DeviceResult<void> result() const { return check(driver_, failed_, result_); }

private:
  const Driver &driver_;
  const CUdevice device_;
  CUresult result_ = CUDA_SUCCESS;
  const char *failed_ = "";
};

LaunchLimits askLimits(Question &question) {
  LaunchLimits limits;
  limits.threadsPerBlock = question.limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.block = {question.limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), question.limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                  question.limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
  limits.grid = {question.limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), question.limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                 question.limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
  limits.sharedPerBlock = Bytes{question.limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)};
  return limits;
}

/// The machine's NUMA node of a PCI device, as the kernel says; -1 if it does not.
int numaNodeOf(const std::string &pciBusId) {
  std::ifstream file("/sys/bus/pci/devices/" + pciBusId + "/numa_node");
  int node = -1;
  return file >> node ? node : -1;
}

DeviceResult<DeviceProperties> askProperties(const Driver &driver, int ordinal) {
  Question question(driver, ordinal);
  DeviceProperties properties;
  properties.backend = "cuda";
  properties.vendor = "nvidia";
  properties.ordinal = CudaOrdinal{ordinal};
  std::array<char, 256> name{};
  std::array<char, 32> pci{};
  CUuuid uuid{};
  std::size_t memory = 0;
  question.ask("cuDeviceGetName", driver.cuDeviceGetName, name.data(), static_cast<int>(name.size()), ordinal);
  question.ask("cuDeviceGetUuid_v2", driver.cuDeviceGetUuid_v2, &uuid, ordinal);
  question.ask("cuDeviceTotalMem_v2", driver.cuDeviceTotalMem_v2, &memory, ordinal);
  question.ask("cuDeviceGetPCIBusId", driver.cuDeviceGetPCIBusId, pci.data(), static_cast<int>(pci.size()), ordinal);
  properties.capability = {question.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                           question.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
  properties.multiprocessors = question.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  properties.copiesOverlapKernels = question.attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT) > 0;
  properties.limits = askLimits(question);
  const int mode = question.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  if (auto asked = question.result(); !asked)
    return tl::make_unexpected(asked.error());
  properties.name = name.data();
  // 7.5 without them are the GeForce 16 series, and the MX and T ones made of the same chips.
  properties.tensorCores =
      properties.capability >= ComputeCapability{7, 0} && properties.name.find("GTX 16") == std::string::npos;
  properties.memory = Bytes{memory};
  properties.mode = mode == static_cast<int>(CU_COMPUTEMODE_PROHIBITED)          ? ComputeMode::Prohibited
                    : mode == static_cast<int>(CU_COMPUTEMODE_EXCLUSIVE_PROCESS) ? ComputeMode::Exclusive
                                                                                 : ComputeMode::Default;
  std::memcpy(properties.uuid.bytes.data(), uuid.bytes, sizeof uuid.bytes);
  // The driver does not say what kind a UUID is of, but it names parts of devices by their profile: "NVIDIA A100 MIG 1g.5gb".
  if (properties.name.find(" MIG ") != std::string::npos)
    properties.uuid.kind = DeviceUuid::Kind::Mig;
  properties.pciBusId = pci.data();
  std::transform(properties.pciBusId.begin(), properties.pciBusId.end(), properties.pciBusId.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  properties.numaNode = numaNodeOf(properties.pciBusId);
  return properties;
}

class CudaBackend final : public Backend {
public:
  explicit CudaBackend(Libraries libraries) : libraries_(std::move(libraries)) {}

  Discovery discover() override {
    Discovery found;
    devices_.clear();
    process_ = std::make_shared<CudaProcess>();
    process_->pieceBytes = libraries_.piece.value;
    process_->nvml = nvml::Library::open(libraries_.nvml);
    if (process_->nvml)
      found.machine = process_->nvml->devices();
    auto driver = Driver::open(libraries_.driver);
    if (!driver) {
      found.reason = driver.error().message + (driver.error().hint.empty() ? "" : "; " + driver.error().hint);
      return found;
    }
    process_->driver = *driver;
    int count = 0;
    const char *call = "cuInit";
    CUresult result = (*driver)->cuInit(0);
    if (result == CUDA_SUCCESS) {
      call = "cuDeviceGetCount";
      result = (*driver)->cuDeviceGetCount(&count);
    }
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NO_DEVICE)
      found.driver = driverText();
    if (result != CUDA_SUCCESS) {
      const Error error = makeError(**driver, call, result).text;
      found.reason = "the NVIDIA driver offers no device: " + error.message + (error.hint.empty() ? "" : "; " + error.hint);
      return found;
    }
    for (int ordinal = 0; ordinal < count; ++ordinal)
      discoverOne(ordinal, found);
    for (DeviceProperties &device : found.devices)
      findPeers(device, found.devices);
    if (found.devices.empty())
      found.reason = "the NVIDIA driver offers no device that works";
    devices_ = found.devices;
    return found;
  }

  DeviceUse use(const DeviceUuid &uuid) override {
    DeviceUse use;
    if (!process_ || !process_->nvml)
      return use;
    use.lost = process_->nvml->isLost(uuid);
    if (const auto state = process_->nvml->stateOf(uuid)) {
      use.used = state->used;
      use.total = state->total;
      use.busyPercent = state->busyPercent;
      use.others = static_cast<int>(state->others.size());
    }
    return use;
  }

  DeviceResult<std::unique_ptr<Device>> open(const DeviceUuid &uuid, int number) override {
    for (const DeviceProperties &properties : devices_)
      if (properties.uuid == uuid)
        return CudaDevice::open(process_, properties, number).map([](std::unique_ptr<CudaDevice> device) {
          return std::unique_ptr<Device>(std::move(device));
        });
    return deviceFailure(DeviceErrorKind::Misuse, "there is no CUDA device " + describe(uuid));
  }

private:
  void discoverOne(int ordinal, Discovery &found) {
    auto properties = askProperties(*process_->driver, ordinal);
    if (!properties) {
      found.notices.push_back("CUDA device " + std::to_string(ordinal) + " is left out: " + properties.error().text.message);
      return;
    }
    if (process_->nvml)
      properties->nvml = process_->nvml->indexOf(properties->uuid);
    for (const ListedDevice &listed : found.machine)
      if (std::find(listed.mig.begin(), listed.mig.end(), properties->uuid) != listed.mig.end())
        properties->migParent = listed.uuid;
    found.devices.push_back(std::move(*properties));
  }

  /// `NVIDIA 580.65.06, CUDA 13.0`.
  std::string driverText() const {
    int version = 0; // 13000 for 13.0
    const std::string release = process_->nvml ? process_->nvml->driverVersion() : "";
    const std::string vendor = release.empty() ? "NVIDIA" : "NVIDIA " + release;
    if (process_->driver->cuDriverGetVersion(&version) != CUDA_SUCCESS)
      return vendor;
    return vendor + ", CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }

  void findPeers(DeviceProperties &device, const std::vector<DeviceProperties> &all) const {
    for (const DeviceProperties &other : all) {
      int can = 0;
      if (other.uuid != device.uuid &&
          process_->driver->cuDeviceCanAccessPeer(&can, device.ordinal->value, other.ordinal->value) == CUDA_SUCCESS && can)
        device.peers.push_back(other.uuid);
    }
  }

  const Libraries libraries_;
  std::shared_ptr<CudaProcess> process_;
  std::vector<DeviceProperties> devices_;
};

auto textInto(std::string &place) {
  return [&place](const std::string &value) -> Result<void> {
    if (value.empty())
      return failure("a library is wanted");
    place = value;
    return {};
  };
}

} // namespace
} // namespace cuda

Result<std::unique_ptr<Backend>> makeCudaBackend(int, std::span<const DeviceOption> options, const BackendContext &) {
  cuda::Libraries libraries;
  const std::array known{
      KnownOption{"driver", cuda::textInto(libraries.driver)},
      KnownOption{"nvml", cuda::textInto(libraries.nvml)},
      KnownOption{"piece",
                  [&](const std::string &value) -> Result<void> {
                    const auto bytes = parseBytes(value);
                    if (!bytes)
                      return tl::make_unexpected(bytes.error());
                    if (*bytes < 4_KiB || *bytes > 1_GiB)
                      return failure("from 4KiB to 1GiB is wanted, not '" + value + "'");
                    libraries.piece = *bytes;
                    return {};
                  }},
  };
  if (auto read = readOptions(options, known); !read)
    return tl::make_unexpected(read.error());
  return std::make_unique<cuda::CudaBackend>(std::move(libraries));
}

} // namespace streamap
