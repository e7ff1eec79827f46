//===- DebugNames.h - The names that a debugger shows -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_DEBUGNAMES_H
#define STREAMAP_DRIVER_DEBUGNAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace streamap {

/// What the generated text puts behind the name of a task's body.
inline constexpr llvm::StringLiteral BodySuffix = "__streamap_cpu";

/// Gives the bodies of tasks their own names in the debug information of the
/// ELF object \p Path, so that `break saxpy` stops in the user's text. Changes
/// only bytes in the string table: the shorter name ends where the suffix
/// begins. Objects without debug information, with a compressed one, and files
/// that are no ELF objects stay as they are.
llvm::Error restoreDebugNames(llvm::StringRef Path);

} // namespace streamap

#endif
