//===- Session.h - One call of the tool -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_SESSION_H
#define STREAMAP_DRIVER_SESSION_H

#include "CommandLine.h"
#include "DependenceFile.h"
#include "HostCompiler.h"
#include "Layout.h"

#include <string>
#include <vector>

namespace streamap {

/// What every step needs to know: the command line, the host compiler, and
/// where things are.
struct Session {
  std::string ToolName; ///< for messages
  Layout Places;
  std::unique_ptr<CommandLine> Line;
  HostCompiler Host;
  DependenceVariables Variables; ///< hidden, but for the run that is the user's own

  /// What every source that goes through the tool is compiled with, with a
  /// directive in it or not: __STREAMAP__, and streamap/streamap.h within
  /// reach, behind all directories of the user's.
  std::vector<std::string> standardArguments() const { return {"-D__STREAMAP__=1", "-idirafter", Places.IncludeDirectory}; }
};

} // namespace streamap

#endif
