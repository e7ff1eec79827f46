//===- SourceCompiler.h - From an annotated source to what was asked for -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_SOURCECOMPILER_H
#define STREAMAP_DRIVER_SOURCECOMPILER_H

#include "PragmaScan.h"
#include "Scratch.h"
#include "Session.h"
#include "frontend/Translate.h"

#include "llvm/Support/Error.h"

#include <string>

namespace streamap {

/// Compiles sources with directives: translates one, gives the text to the host
/// compiler, and puts the products where a plain compile would.
class SourceCompiler {
public:
  /// Both must outlive this.
  SourceCompiler(const Session &Current, Scratch &Files) : Current(Current), Files(Files) {}

  /// Does the last step of the command line for \p Source, or -c to \p Object
  /// where that is not empty (for a link). The result is an exit status; after
  /// 0 the outputs stay.
  llvm::Expected<int> compile(const Input &Source, const ScanResult &Scan, llvm::StringRef Object = {});

private:
  llvm::Expected<Translation> translateSource(const Input &Source, const ScanResult &Scan);
  llvm::Expected<int> compileUnchanged(const Input &Source);
  llvm::Expected<int> tell(const Input &Source, const Translation &Text);
  llvm::Expected<int> writeDependences(const Input &Source, bool Silent);
  llvm::Error leaveSource(const Input &Source, const Translation &Text) const;
  llvm::Error embedKernels(const Input &Source, Translation &Text);
  bool keepsContraction() const;
  llvm::Expected<std::string> writeText(const Input &Source, const Translation &Text);
  std::vector<std::string> hostArguments(const Input &Source, const Translation &Text, llvm::StringRef Path) const;
  std::vector<std::string> sideFileArguments(const Input &Source) const;
  std::string outputFor(const Input &Source, llvm::StringRef Object) const;
  llvm::Expected<int> preprocess(const Input &Source, const Translation &Text, llvm::StringRef Path);

  const Session &Current;
  Scratch &Files;
  HostFacts Facts; ///< for the source at hand
};

} // namespace streamap

#endif
