// StreamMAP runtime: a vendor, and the table of all of them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vendor is a folder with a Backend and its Device, and one line of the table in backends.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "device/device_error.h"
#include "device/listed_device.h"
#include "device/properties.h"

namespace streamap {

/// One `key=value` behind a backend's name in the setting `devices`.
struct DeviceOption {
  std::string key, value;
};

/// Who asks. Backends that make devices up give other ranks other UUIDs.
struct BackendContext {
  std::string host; ///< host name
  int rank = 0;
  std::size_t part = 0; ///< which part of the setting `devices` it is
};

/// What a backend has found.
struct Discovery {
  std::vector<DeviceProperties> devices; ///< in the backend's own order
  std::vector<std::string> notices;      ///< devices that cannot be used and why, for the user
  std::string driver;                    ///< that works, with its version; empty: none does, or none is needed
  std::vector<ListedDevice> machine;     ///< what there is beside them, where there is a list
  std::string reason;                    ///< why there are none: "no NVIDIA driver (libcuda.so.1) here"; empty if there are some
};

/// One vendor. Not thread-safe; its devices are.
class Backend {
public:
  virtual ~Backend() = default;

  /// Its devices. Never fails: whatever is missing is a reason. Makes no context, takes no memory on a device.
  virtual Discovery discover() = 0;

  /// Who uses a device of the last discovery.
  virtual DeviceUse use(const DeviceUuid &) { return {}; }

  /// Makes a device of the last discovery usable. \p number: this rank's number for it, for messages. The device may outlive the
  /// backend.
  virtual DeviceResult<std::unique_ptr<Device>> open(const DeviceUuid &uuid, int number) = 0;
};

/// A line of the table.
struct BackendEntry {
  std::string_view name;
  std::string_view about; ///< for documentation and messages
  bool automatic;         ///< asked when the setting `devices` is `auto`
  bool counted;           ///< takes `name:count` in the setting
  /// An option that it does not know, or with a wrong value, is an error that names the nearest right one. \p count: -1 if none
  /// was given.
  Result<std::unique_ptr<Backend>> (*make)(int count, std::span<const DeviceOption> options, const BackendContext &context);
};

/// All backends, in the order in which they are asked.
std::span<const BackendEntry> backendTable();

} // namespace streamap
