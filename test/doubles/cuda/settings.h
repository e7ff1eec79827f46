// The doubles: what hardware they pretend to be, and how they misbehave.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace doubles {

/// One device. docs/internals/doubles.md names the key of each field.
struct DeviceSettings {
  std::string name = "Double GPU";
  std::string uuid; ///< "GPU-" and 32 hexadecimal digits in groups; made from the index unless set
  std::string pci;  ///< "0000:01:00.0"; made from the index unless set
  std::uint64_t memory = std::uint64_t{256} << 20;
  std::uint64_t taken = 0; ///< bytes that other processes have
  int ccMajor = 9, ccMinor = 0;
  int sms = 8;
  int computeMode = 0; ///< CUcomputemode
  bool busy = false;   ///< an exclusive device that another process has
  int broken = 0;      ///< CUresult of every attempt to make a context; 0: works
  int temperature = 40;
  bool lost = false; ///< to NVML: fallen off the bus
  int others = 0;    ///< processes that NVML sees there
};

/// From the nth call of a name on `count` calls return `result`.
struct Injection {
  std::uint64_t nth = 1;
  std::uint64_t count = 1;
  int result = 0;
};

struct Settings {
  std::vector<DeviceSettings> devices{1};
  int driverVersion = 13000;
  bool allPeers = true;
  std::set<std::pair<int, int>> peers;              ///< unless allPeers: (from, to) by position in `devices`
  std::uint64_t delayMicroseconds = 0;              ///< each operation in a stream first waits a random time up to this
  std::uint64_t seed = 1;                           ///< of the delays
  std::multimap<std::string, Injection> injections; ///< by call; also "kernel" and "copy", for what runs in streams
  std::string log;                                  ///< a file for every call; empty: none
  std::string twins;                                ///< directory of host twins for PTX; empty: none
  std::string ledger; ///< file by which processes share the devices' memory; empty: each has its own
};

/// Reads `key=value` entries, separated by ';' or new lines; '#' begins a comment. Throws std::invalid_argument naming what is
/// wrong.
Settings parseSettings(const std::string &text);

/// CUDA_DOUBLE, where `file=` reads entries from a file. Throws like parseSettings.
Settings settingsFromEnvironment();

/// Which devices a process sees, and in which order, as positions in `settings.devices`: what the driver makes of
/// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER (null: not set).
std::vector<std::size_t> visibleDevices(const Settings &settings, const char *visible, const char *order);

} // namespace doubles
