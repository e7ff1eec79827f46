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

#include "CommandLine.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace streamap {

struct Session;

/// What -MD, -MMD and their companions ask for, also inside -Wp,.
struct DependenceRequest {
  bool SystemHeaders = false;       ///< -MD rather than -MMD
  std::string File;                 ///< where to write
  std::vector<std::string> Options; ///< -MT, -MQ, -MP as given
  std::string Target;               ///< for -MQ where no target was given; empty: the compiler's default
};

/// DEPENDENCIES_OUTPUT and SUNPRO_DEPENDENCIES: every run of a compiler that
/// preprocesses adds to the file that they name. Only one of our runs may.
class DependenceVariables {
public:
  /// Takes them out of the environment.
  DependenceVariables();
  /// Puts them back, for the run that may see them.
  void show() const;
  void hide() const;
  bool any() const { return !Given.empty(); }

private:
  std::vector<std::pair<const char *, std::string>> Given;
};

/// The request of this command line for \p Source, if it has one.
std::optional<DependenceRequest> dependenceRequest(const CommandLine &Line, const Input &Source);

/// Writes the file; \p Silent: without a word about what is wrong. The result is the host compiler's exit status.
llvm::Expected<int> writeDependenceFile(const Session &Current, const Input &Source, const DependenceRequest &Request,
                                        bool Silent);

/// Lets the host compiler write what the variables ask for.
llvm::Error obeyDependenceVariables(const Session &Current, const Input &Source);

} // namespace streamap

#endif
