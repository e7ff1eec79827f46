//===- BinaryTools.cpp - gcc-ar and its like, beside the compiler ---------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryTools.h"
#include "Config.h"
#include "Process.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

namespace streamap {

using llvm::StringRef;

namespace {

constexpr llvm::StringLiteral Prefix = "streamap-";

/// `-12` of `/usr/bin/x86_64-linux-gnu-gcc-12`; empty: its name has no version.
StringRef versionSuffix(StringRef Program) {
  const StringRef Name = llvm::sys::path::filename(Program);
  const size_t Dash = Name.rfind('-');
  unsigned Version = 0;
  return Dash != StringRef::npos && !Name.drop_front(Dash + 1).getAsInteger(10, Version) ? Name.drop_front(Dash) : StringRef();
}

/// Beside the host compiler, by its version or without one; otherwise in the PATH. The host compiler may be a link, as
/// /usr/bin/cc is to gcc-12, and /usr/bin/clang-19 to clang in a folder of its own.
std::string companionOf(StringRef HostCompiler, StringRef Name) {
  llvm::ErrorOr<std::string> Found = llvm::sys::findProgramByName(HostCompiler);
  llvm::SmallString<256> Real;
  if (!Found || llvm::sys::fs::real_path(*Found, Real))
    return Name.str();
  for (StringRef Compiler : {StringRef(*Found), Real.str(), StringRef()}) {
    llvm::SmallString<256> Path(llvm::sys::path::parent_path(Compiler.empty() ? Real.str() : Compiler));
    llvm::sys::path::append(Path, Name + versionSuffix(Compiler));
    if ((Compiler.empty() || !versionSuffix(Compiler).empty()) && llvm::sys::fs::can_execute(Path))
      return Path.str().str();
  }
  return Name.str();
}

std::string hostCompiler() {
  const char *Given = std::getenv("STREAMAP_HOST_CC");
  return Given && *Given ? Given : DefaultHostCC;
}

} // namespace

bool isBinaryTool(StringRef Argv0) {
  StringRef Name = llvm::sys::path::filename(Argv0);
  return Name.consume_front(Prefix) && (Name.starts_with("gcc-") || Name.starts_with("llvm-"));
}

llvm::Error becomeBinaryTool(llvm::ArrayRef<const char *> Argv) {
  const StringRef Name = llvm::sys::path::filename(Argv.front()).drop_front(Prefix.size());
  Command Tool;
  Tool.Words.push_back(companionOf(hostCompiler(), Name));
  Tool.Words.insert(Tool.Words.end(), Argv.begin() + 1, Argv.end());
  return become(Tool);
}

} // namespace streamap
