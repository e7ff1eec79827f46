//===- DeviceFunctions.h - Library functions that devices have --*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_DEVICEFUNCTIONS_H
#define STREAMAP_KERNEL_DEVICEFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace streamap {

/// How a function of the C library exists on a device.
struct DeviceFunction {
  /// A built-in function that a compiler turns into instructions by itself, bit
  /// for bit as on the host; empty: it has none.
  std::string Builtin;
  /// Its name in CUDA's libdevice; empty: it is not there.
  std::string Libdevice;
};

/// What a device has for the C function \p Name; nothing if it has not.
std::optional<DeviceFunction> findDeviceFunction(llvm::StringRef Name);

/// Why no device has a C library function.
enum class HostOnly { Allocates, InputOutput, Other };
HostOnly whyHostOnly(llvm::StringRef Name);

/// Whether a device can run the compiler's own function \p Name (`__builtin_...`).
bool isDeviceBuiltin(llvm::StringRef Name);

} // namespace streamap

#endif
