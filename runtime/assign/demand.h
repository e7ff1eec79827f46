// StreamMAP runtime: what tasks ask for, and which processors can give it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assign/resources.h"
#include "base/result.h"
#include "streamap/abi.h"

namespace streamap {

/// The hard requirements of a launch's tasks of one kind.
struct Demand {
  bool onCores = true;                                ///< cores may run them
  bool onDevice = false;                              ///< devices may run them; both: whichever is best
  int cores = 1;                                      ///< cores(e), on cores
  int share = 100;                                    ///< share(e), percent of a device, 1 to 100
  Bytes memory;                                       ///< on a device: what the largest of the tasks takes, memory(e) included
  std::span<const streamap_requirement> requirements; ///< of devices; cores are never asked
  /// Why the tasks' code does not run on such a device; empty: it does. Null: it runs on all.
  std::function<std::string(const DeviceProperties &)> unsuited;
};

/// Which processors meet a demand: the outcome of judge().
struct Judgement {
  std::vector<bool> classes;        ///< by ClassId: its members may run the tasks
  std::vector<bool> only;           ///< by ProcessorId; empty: all members of those classes. For uuid(...)
  int cores = 1, share = 100;       ///< as asked
  std::vector<std::string> reasons; ///< by ClassId: why its members may not; empty where they may
  std::vector<bool> wrongKind;      ///< by ClassId: cores where devices are asked for, or the other way round

  /// Whether anything can run the tasks. If not, they never can.
  bool anywhere() const;
  /// Why not, with the numbers: the reason of the first class of the kind that was asked for. Empty: there is none of that kind.
  std::string why() const;
};

/// Whether the device meets one requirement of require(...). Pure. Labels are the processor's.
bool meets(const ProcessorFacts &device, const streamap_requirement &requirement);

/// Looks at every class once. Pure; any thread.
Judgement judge(const ResourceTable &table, const Demand &demand);

} // namespace streamap
