//===- CheckTaskSubscripts.h - Subscripts against sections ------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_CHECKTASKSUBSCRIPTS_H
#define STREAMAP_FRONTEND_CHECKTASKSUBSCRIPTS_H

#include "frontend/CheckTask.h"
#include "frontend/TaskModel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ParmVarDecl;
} // namespace clang

namespace streamap {

/// One section, as far as its bounds are constant.
struct KnownSection {
  struct Axis {
    std::optional<int64_t> Lower, Length; ///< none: not constant
  };
  const clang::ParmVarDecl *Parameter = nullptr; ///< of the definition
  std::vector<Axis> Axes;
  std::string Shown; ///< as the user wrote it: "y[0:4]"
};

/// The sections of \p Model, whose parameters are those of \p Task. A section
/// that was made from the parameter's type is left out with its parameter: the
/// C compiler knows as much.
std::vector<KnownSection> knownSections(const TaskModel &Model, const clang::FunctionDecl &Task);

/// Reports each subscript of a parameter in \p Task's body that lies, whatever
/// the values are, outside every section of that parameter. \p Sections has to
/// be complete for each parameter that it names. Parameters that the body
/// changes or takes the address of are left alone, as is code that a constant
/// condition leaves out.
void checkSubscripts(const clang::FunctionDecl &Task, llvm::ArrayRef<KnownSection> Sections, Reporter &Report);

} // namespace streamap

#endif
