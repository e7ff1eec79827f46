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
#include "frontend/TokenStream.h"

#include <optional>
#include <string>

namespace streamap {

/// Why it is not certain that \p Task writes every element of the `out` section
/// \p Section; nothing if it is. Knows nests of loops in which one assignment,
/// that nothing can jump over, runs through exactly the section: next[y][x] with
/// x from 1 below w - 1 for next[y][1:w-2], A[i * n + j] with j below n for A[i*n:n].
std::optional<std::string> whyNotWritten(const clang::FunctionDecl &Task, const SectionModel &Section, const SplitLoops &Loops,
                                         const TokenStream &Stream);

} // namespace streamap

#endif
