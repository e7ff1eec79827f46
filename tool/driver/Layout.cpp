//===- Layout.cpp - Where the parts of StreamMAP lie -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Config.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace streamap {

namespace {

std::string beside(llvm::StringRef Directory, llvm::StringRef Relative) {
  llvm::SmallString<256> Path(Directory);
  llvm::sys::path::append(Path, Relative);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

} // namespace

Layout findLayout(const char *Argv0) {
  Layout Found;
  Found.Executable = llvm::sys::fs::getMainExecutable(Argv0, reinterpret_cast<void *>(&findLayout));
  const llvm::StringRef Bin = llvm::sys::path::parent_path(Found.Executable);
  Found.IncludeDirectory = beside(Bin, IncludeDirFromTool);
  Found.LibraryDirectory = beside(Bin, LibraryDirFromTool);
  // Debian keeps libraries in lib/<triple>; a build tree does not.
  if (!llvm::sys::fs::exists(Found.LibraryDirectory + "/libstreamap.so"))
    Found.LibraryDirectory = beside(Bin, InstalledLibraryDirFromTool);
  Found.ResourceDirectory = ClangResourceDir;
  return Found;
}

} // namespace streamap
