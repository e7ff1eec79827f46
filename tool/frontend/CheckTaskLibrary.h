//===- CheckTaskLibrary.h - Library functions that a task may not call -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_CHECKTASKLIBRARY_H
#define STREAMAP_FRONTEND_CHECKTASKLIBRARY_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace streamap {

/// Why a function of the C library or POSIX does not belong into a task.
enum class LibraryFault {
  State,       ///< keeps a state between calls: a task elsewhere has another one
  Jump,        ///< setjmp, longjmp
  EndsProgram, ///< exit
};

struct LibraryFunction {
  LibraryFault Fault;
  llvm::StringRef Instead; ///< what to do; may be empty
};

/// What is wrong with calling \p Name; none for functions that a task may call,
/// and for all that are not of the C library or POSIX.
std::optional<LibraryFunction> findLibraryFault(llvm::StringRef Name);

/// Whether \p Name, a variable that a system header declares, is the same
/// thing on every rank as far as a task can tell (stdout, stderr).
bool isSharedLibraryVariable(llvm::StringRef Name);

} // namespace streamap

#endif
