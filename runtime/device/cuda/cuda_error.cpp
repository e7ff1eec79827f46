// StreamMAP runtime: errors of the CUDA driver in the user's terms.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/cuda_error.h"

namespace streamap::cuda {

DeviceErrorKind kindOf(CUresult result) {
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return DeviceErrorKind::OutOfMemory;
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
  case CUDA_ERROR_NOT_FOUND:
    return DeviceErrorKind::BadImage;
  case CUDA_ERROR_INVALID_VALUE:
  case CUDA_ERROR_INVALID_HANDLE:
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    return DeviceErrorKind::Misuse;
  case CUDA_ERROR_NOT_SUPPORTED:
  case CUDA_ERROR_NOT_PERMITTED:
  case CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    return DeviceErrorKind::Unsupported;
  // From here on the context is broken, whatever is called: the driver says the same of each in its documentation.
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_INVALID_CONTEXT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_DEINITIALIZED:
    return DeviceErrorKind::Lost;
  default:
    return DeviceErrorKind::Other;
  }
}

std::string hintFor(CUresult result) {
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return "nvidia-smi shows who uses the device's memory";
  case CUDA_ERROR_STUB_LIBRARY:
    return "the libcuda.so.1 that was found is the toolkit's stub, not a driver: take its folder out of LD_LIBRARY_PATH";
  case CUDA_ERROR_NO_DEVICE:
    return "nvidia-smi shows the devices of the machine; CUDA_VISIBLE_DEVICES may hide them";
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    return "the driver's kernel module and its libcuda.so.1 are of different releases: load the new module, or reboot";
  case CUDA_ERROR_SYSTEM_NOT_READY:
    return "a machine with NVSwitch needs the service nvidia-fabricmanager";
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
    return "the device is in exclusive or prohibited mode and another process has it; nvidia-smi -q -d COMPUTE shows the mode";
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    return "compile for this device: --streamap-cuda-arch= takes its compute capability";
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    return "the program's PTX is newer than the driver: update the driver, or compile for this device with --streamap-cuda-arch=";
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    return "a kernel reached outside its sections: compute-sanitizer, or STREAMAP_DEVICES=emulated with its guard pages, shows "
           "where";
  case CUDA_ERROR_LAUNCH_TIMEOUT:
    return "a kernel ran longer than a device that also drives a display allows";
  case CUDA_ERROR_ASSERT:
    return "an assertion in a kernel failed; the driver has printed which";
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
    return "the hardware failed, not the program: nvidia-smi -q shows the counters; tell who runs the machine";
  case CUDA_ERROR_UNKNOWN:
    return "the kernel's log (dmesg) may say more; after a suspend, or in a container without /dev/nvidia-uvm, this is usual";
  default:
    return {};
  }
}

DeviceError makeError(const Driver &driver, const char *call, CUresult result) {
  std::string name = call;
  if (const auto suffix = name.rfind("_v"); suffix != std::string::npos)
    name.resize(suffix); // users know the call by its name in the documentation
  return DeviceError{kindOf(result), Error{name + ": " + driver.describe(result), hintFor(result)}};
}

} // namespace streamap::cuda
