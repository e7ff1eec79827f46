//===- BinaryTools.h - gcc-ar and its like, beside the compiler -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CMake takes what stands before "cc" in a compiler's name for a prefix of its
// companions, and looks for streamap-gcc-ar or streamap-llvm-ar beside
// streamap-cc; without one it offers no link-time optimisation. These are
// links to the tool too, and stand for the host compiler's.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_BINARYTOOLS_H
#define STREAMAP_DRIVER_BINARYTOOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace streamap {

/// Whether the tool was called as one of them.
bool isBinaryTool(llvm::StringRef Argv0);

/// Becomes the tool of that name that belongs to the host compiler. Comes back
/// only with an error.
llvm::Error becomeBinaryTool(llvm::ArrayRef<const char *> Argv);

} // namespace streamap

#endif
