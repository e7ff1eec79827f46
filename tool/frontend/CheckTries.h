//===- CheckTries.h - Exceptions that a caller waits for in vain -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_CHECKTRIES_H
#define STREAMAP_FRONTEND_CHECKTRIES_H

#include "frontend/Binding.h"

namespace streamap {

/// Warns of each call of a task in a try block that the task's body may throw
/// through: the call has returned before the body runs.
void checkTries(clang::ASTContext &Context, const Bindings &Bound, Reporter &Report);

/// Whether an exception may leave \p Function, as far as bodies are visible.
/// What has no body and is not declared noexcept may throw, but for the C
/// library's.
bool mayThrow(const clang::FunctionDecl &Function);

} // namespace streamap

#endif
