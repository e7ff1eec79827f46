//===- TextFile.h - Writing a whole text -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_TEXTFILE_H
#define STREAMAP_DRIVER_TEXTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace streamap {

/// Writes \p Text to \p Path ("-": the standard output). Fails too if the text
/// did not get there whole, as on a full disk.
llvm::Error writeTextFile(llvm::StringRef Path, llvm::StringRef Text);

} // namespace streamap

#endif
