// StreamMAP runtime: the task that a descriptor belongs to.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "streamap/abi.h"

namespace streamap {

/// The task that an annotated call calls, or that a hand-written version implements; null for a task of its own. Once all
/// constructors have run. Thread-safe.
inline const streamap_task *baseOf(const streamap_task &task) {
  if (task.flags & STREAMAP_FLAG_LATE_BASE)
    return *reinterpret_cast<const streamap_task *const *>(task.base);
  return task.base;
}

} // namespace streamap
