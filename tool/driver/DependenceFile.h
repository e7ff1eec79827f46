//===- DependenceFile.h - What make needs to know of a rewritten source -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host compiler compiles a text of ours in a private directory, so what
// -MD would write there is of no use. A run of the host compiler over the
// user's own source writes it instead.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_DEPENDENCEFILE_H
#define STREAMAP_DRIVER_DEPENDENCEFILE_H

#include "Session.h"

#include <optional>
#include <string>
#include <vector>

namespace streamap {

/// What -MD, -MMD and their companions ask for, also inside -Wp,.
struct DependenceRequest {
  bool SystemHeaders = false;       ///< -MD rather than -MMD
  std::string File;                 ///< where to write
  std::vector<std::string> Options; ///< -MT, -MQ, -MP as given
  std::string Target;               ///< for -MQ where no target was given; empty: the compiler's default
};

/// The request of this command line for \p Source, if it has one.
std::optional<DependenceRequest> dependenceRequest(const CommandLine &Line, const Input &Source);

/// Writes the file. The result is the host compiler's exit status.
llvm::Expected<int> writeDependenceFile(const Session &Current, const Input &Source, const DependenceRequest &Request);

} // namespace streamap

#endif
