//===- Process.h - Running the host compiler -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_PROCESS_H
#define STREAMAP_DRIVER_PROCESS_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace streamap {

/// A program and its arguments.
struct Command {
  std::vector<std::string> Words; ///< [0] is the program, looked up in PATH
  std::string TemporaryDirectory; ///< where it puts its own temporary files; empty: wherever it likes
  bool Silent = false;            ///< its error stream goes nowhere
};

/// What captureOutput() gives.
struct Captured {
  int Status = 0;
  std::string Output; ///< its standard output
  std::string Errors; ///< its standard error stream, where that was asked for
};

/// Runs \p What and waits. The result is what a shell would call its exit
/// status (128 + n for signal n). An error only if it cannot be started, or if a
/// signal asked the tool to end meanwhile.
llvm::Expected<int> run(const Command &What);

/// Runs \p What and collects its output, and its errors if \p WithErrors; those
/// are in English, whatever the user's language, for they are to be read by us.
llvm::Expected<Captured> captureOutput(const Command &What, bool WithErrors = false);

/// Becomes \p What. Returns only if it cannot be started.
llvm::Error become(const Command &What);

/// \p What as one could type it into a shell.
std::string quoted(const Command &What);

} // namespace streamap

#endif
