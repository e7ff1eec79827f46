//===- CheckTaskReach.h - What a task touches besides its sections -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_CHECKTASKREACH_H
#define STREAMAP_FRONTEND_CHECKTASKREACH_H

#include "frontend/CheckTask.h"

#include <string>

namespace streamap {

/// Follows the definition \p Root, and every function with a visible body that
/// it refers to, nearest first, and reports the variables that are not
/// constant, and the calls of which too little is known. \p RootName is how
/// reports call it: "task 'f'".
void checkReach(const clang::FunctionDecl &Root, const std::string &RootName, const CallableSet &Callable, Reporter &Report);

} // namespace streamap

#endif
