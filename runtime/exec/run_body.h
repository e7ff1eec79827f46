// StreamMAP runtime: one task's body on the calling thread.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "data/mirror.h"
#include "exec/orders.h"

namespace streamap {

/// Runs the task's body here and now: pointers of the pack translated, floating-point mode and OpenMP's team size set, once a
/// block where it has blocks. Returns what went wrong in the user's terms, or nothing. Thread-safe.
std::optional<std::string> runBody(const RunOrder &order, Mirror &mirror);

} // namespace streamap
