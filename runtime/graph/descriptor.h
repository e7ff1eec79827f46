// StreamMAP runtime: reading a descriptor that may lean on another one.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "abi/base_task.h"
#include "streamap/abi.h"

namespace streamap {

/// A thunk of \p task. The descriptor of one call statement (STREAMAP_FLAG_CALL) inherits those it does not replace.
template <class Thunk> Thunk thunkOf(const streamap_task &task, Thunk streamap_task::*thunk) {
  const streamap_task *const base = baseOf(task);
  return task.*thunk || !base ? task.*thunk : base->*thunk;
}

/// The parameter table of \p task.
inline const streamap_param *paramsOf(const streamap_task &task, std::uint32_t &count) {
  const streamap_task *const base = baseOf(task);
  const streamap_task &from = task.params || !base ? task : *base;
  count = from.nparams;
  return from.params;
}

} // namespace streamap
