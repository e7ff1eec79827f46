// StreamMAP runtime: the machine that this process is on, and what of it the process may use.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace streamap {

/// What a rank tells the others about itself.
struct Machine {
  std::string host;               ///< host name, for people
  std::string boot;               ///< the system's boot id: with the host name it tells machines apart
  std::string kernel;             ///< release of the operating system's kernel
  std::uint64_t pidNamespace = 0; ///< processes in one of these see each other's ids
  std::int32_t pid = 0;
  std::int32_t doorbell = -1;       ///< the process's descriptor of its Doorbell; -1: none
  std::vector<std::uint32_t> cores; ///< that the process is bound to or may use: each by its first hardware thread
  std::vector<std::uint32_t> numa;  ///< NUMA node of each of these
  std::uint32_t machineCores = 0;   ///< that the machine has
  std::uint32_t machineNuma = 1;    ///< NUMA nodes that the machine has
  std::uint32_t quota = 0;          ///< cores' worth of time that the control group grants; 0: no limit
  Bytes memory;                     ///< that the machine has
  Bytes freeMemory;                 ///< that it had left for programs when it was looked at
  Bytes memoryLimit;                ///< of the control group; 0: none
  std::uint32_t nvidiaCards = 0;    ///< NVIDIA's display and compute devices on the PCI bus, with a driver or without
};

/// Whether processes with these facts are on one machine and see each other's process ids.
inline bool seeEachOther(const Machine &a, const Machine &b) {
  return a.host == b.host && a.boot == b.boot && a.pidNamespace == b.pidNamespace && a.pidNamespace != 0;
}

/// The machine's hardware threads by core, each core's lowest first: as the system numbers them.
std::vector<std::vector<std::uint32_t>> hardwareThreads();

/// Looks at this machine. Takes a few milliseconds.
Machine inspectMachine();

} // namespace streamap
