// StreamMAP runtime: what can go wrong with a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "base/result.h"

namespace streamap {

/// What the runtime does about an error depends on this alone; the text is for people.
enum class DeviceErrorKind {
  OutOfMemory, ///< not now: make room, or wait
  BadImage,    ///< this code cannot run on this device
  Misuse,      ///< a dead or foreign handle, bytes outside an allocation, a launch beyond the limits: our own bug
  Unsupported, ///< the device or its driver cannot do this
  Lost,        ///< sticky: a fault of a kernel or of the hardware; every later call fails with it
  Other
};

/// An error of a device, in the user's terms: `cuMemAlloc: out of memory (2)`. Names no device; Device puts its name in front.
struct DeviceError {
  DeviceErrorKind kind = DeviceErrorKind::Other;
  Error text;
};

template <class T> using DeviceResult = tl::expected<T, DeviceError>;

/// Shorthand for the failing branch of a DeviceResult.
inline tl::unexpected<DeviceError> deviceFailure(DeviceErrorKind kind, std::string message, std::string hint = {}) {
  return tl::unexpected<DeviceError>(DeviceError{kind, Error{std::move(message), std::move(hint)}});
}

} // namespace streamap
