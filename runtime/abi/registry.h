// StreamMAP runtime: the tasks that this process knows, and names for them that hold on every rank.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function addresses never travel. A task is named by a hash of the module (executable or library) that registered it and its
// place among that module's tasks, which is the same wherever the same file is loaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "exec/orders.h"
#include "streamap/abi.h"

namespace streamap {

/// A loaded executable or library that has tasks.
struct TaskModule {
  std::uint64_t hash = 0;  ///< of its build id, or else of its read-only and executable segments as loaded
  std::string path;        ///< empty for the executable
  std::uint32_t tasks = 0; ///< registered so far
  bool late = false;       ///< registered after sealRegistry(): the other ranks may not have it yet
  friend bool operator==(const TaskModule &, const TaskModule &) = default;
};

/// Whether any task of the program (not of libstreamap itself) is registered. Thread-safe.
bool programHasTasks();

/// What must not run: a unit written for another ABI version, or a header task that another compiler has seen as plain code.
/// Called once all units of the program are there. Thread-safe.
Result<void> checkRegistry();

/// Modules registered from now on are `late`. Called once, at start.
void sealRegistry();

/// All modules with tasks, libstreamap's own included, in the order of registration. Thread-safe.
std::vector<TaskModule> taskModules();

/// The key of a registered task. Fast for the task that the thread asked for last. Thread-safe.
DescriptorKey keyOf(const streamap_task &task);

/// The task with this key, or null when its module is not loaded here. Thread-safe.
const streamap_task *findTask(DescriptorKey key);

/// The module that holds `key`. Thread-safe; the module must be registered.
TaskModule moduleOf(DescriptorKey key);

} // namespace streamap
