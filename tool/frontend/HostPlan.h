//===- HostPlan.h - Which text changes where --------------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_HOSTPLAN_H
#define STREAMAP_FRONTEND_HOSTPLAN_H

#include "emit/SourceEdits.h"
#include "frontend/Binding.h"
#include "frontend/BuildTask.h"

namespace clang {
class Preprocessor;
} // namespace clang

namespace streamap {

/// Everything of one translation unit that is written out.
struct PlannedUnit {
  std::vector<std::pair<const clang::FunctionDecl *, BuiltTask>> Tasks; ///< definitions
  std::vector<std::pair<BoundCall, TaskModel>> Calls;
  std::vector<std::pair<BoundStatement, std::string>> Statements; ///< with their text
  UnitModel Unit;
};

/// The source with all edits.
struct PlannedSource {
  HostSource Source;
  bool DirectiveInHeader = false; ///< one stays behind in a header that is included as it is
};

struct PlanOptions {
  std::string ToolVersion;
  bool HostIsClang = false; ///< see TranslateRequest
};

/// Plans the host text. Reports what cannot be edited because a macro makes it.
PlannedSource planHostText(const PlannedUnit &Unit, const PreprocessorRecord &Record, clang::Preprocessor &PP,
                           const PlanOptions &Options, Reporter &Report);

} // namespace streamap

#endif
