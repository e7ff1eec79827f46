//===- HostCompiler.h - The compiler that makes the objects -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_HOSTCOMPILER_H
#define STREAMAP_DRIVER_HOSTCOMPILER_H

#include "CommandLine.h"
#include "Layout.h"
#include "Process.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace streamap {

/// What the host compiler says of itself, for a parse that sees what it sees.
struct HostFacts {
  bool IsClang = false;
  unsigned Version = 0;                        ///< major number, of Clang or gcc
  std::string Triple;                          ///< of its target
  std::string GccInstallation;                 ///< directory of libgcc; empty if it has none
  std::string DefaultStandard;                 ///< "gnu17"
  std::vector<std::string> IncludeDirectories; ///< where it looks for <...>, in order
};

/// The host compiler as a command of one word or several ("ccache gcc").
/// What a run of the compiler with -v and -E, and with streamap/host_facts.h in
/// front of the source, tells about it. \p Macros is the line of that header as
/// the compiler printed it, \p Errors its error stream. Directories that
/// \p Line names are left out.
HostFacts readHostFacts(llvm::StringRef Macros, llvm::StringRef Errors, const CommandLine &Line);

class HostCompiler {
public:
  /// Chooses by option, environment (STREAMAP_HOST_CC, STREAMAP_HOST_CXX), default. Fails
  /// if that is streamap-cc itself.
  static llvm::Expected<HostCompiler> choose(const CommandLine &Line, const Layout &Places);

  /// The command with \p Arguments behind it.
  Command command(llvm::ArrayRef<std::string> Arguments) const;
  Command command(llvm::ArrayRef<const char *> Arguments) const;

  /// Where it looks for libraries. Runs it once.
  std::vector<std::string> libraryDirectories() const;

private:
  std::vector<std::string> Words;
};

} // namespace streamap

#endif
