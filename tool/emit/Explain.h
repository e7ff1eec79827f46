//===- Explain.h - The task model for people --------------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_EMIT_EXPLAIN_H
#define STREAMAP_EMIT_EXPLAIN_H

#include "frontend/TaskModel.h"

#include <string>

namespace streamap {

/// Several lines on \p Task: its resources, what it reads and writes, how it
/// is split, and what the compiler could not prove.
std::string explainTask(const TaskModel &Task);

} // namespace streamap

#endif
