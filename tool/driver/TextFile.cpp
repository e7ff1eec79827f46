//===- TextFile.cpp - Writing a whole text -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextFile.h"
#include "Complaint.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace streamap {

llvm::Error writeTextFile(llvm::StringRef Path, llvm::StringRef Text) {
  std::error_code Problem;
  llvm::raw_fd_ostream OS(Path, Problem, llvm::sys::fs::OF_None);
  if (!Problem) {
    OS << Text;
    OS.flush();
    Problem = OS.error();
    OS.clear_error();
  }
  return Problem ? complain(Diag::CannotWrite, {Path.str(), Problem.message()}) : llvm::Error::success();
}

} // namespace streamap
