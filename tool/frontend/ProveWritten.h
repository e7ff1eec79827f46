//===- ProveWritten.h - Whether an out section is written whole -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_PROVEWRITTEN_H
#define STREAMAP_FRONTEND_PROVEWRITTEN_H

#include "frontend/SplitLoops.h"
#include "frontend/TaskModel.h"

#include <optional>
#include <string>

namespace streamap {

/// Why it is not certain that \p Task writes every element of the `out` section
/// \p Section; nothing if it is. Knows one shape, which is most: the section
/// is p[i] with the split variable i, and each split loop assigns p[i] as a
/// statement of its own body that nothing can jump over.
std::optional<std::string> whyNotWritten(const clang::FunctionDecl &Task, const SectionModel &Section, const SplitLoops &Loops);

} // namespace streamap

#endif
