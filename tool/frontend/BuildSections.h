//===- BuildSections.h - Access clauses to sections -------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_BUILDSECTIONS_H
#define STREAMAP_FRONTEND_BUILDSECTIONS_H

#include "frontend/ClauseText.h"
#include "frontend/Probe.h"
#include "frontend/Reporter.h"
#include "frontend/TaskModel.h"

#include "clang/AST/Type.h"

namespace clang {
class ASTContext;
class FunctionDecl;
class ParmVarDecl;
} // namespace clang

namespace streamap {

/// A clause where it was written.
struct PlacedClause {
  const Clause &C;
  const RecordedPragma &Pragma;
  const Probe &Probed;
};

/// Fills TaskModel::Sections and the accesses of its parameters.
class SectionBuilder {
public:
  /// \p Function gives the names and types of the parameters.
  SectionBuilder(const clang::FunctionDecl &Function, TaskModel &Model, ClauseWriter &Writer, Reporter &Report);

  /// `extent(...)`; before the sections that need it.
  void addExtents(const PlacedClause &Where);

  /// `in`, `out`, `inout` or `reduction`.
  void addSections(const PlacedClause &Where);

  /// Pointer parameters that no clause names: arrays speak for themselves,
  /// others are an error at \p Directive.
  void addUnnamed(clang::SourceLocation Directive);

  /// Whether a section depends on streamap_task_index() or _count().
  bool usesTaskNumber() const { return UsesTask; }

private:
  struct Extent {
    std::string Lower = "0", Length;
  };

  std::optional<unsigned> parameterOf(const SectionExpr &Section, const PlacedClause &Where);
  bool checkParameter(unsigned Parameter, const SectionExpr &Section, const PlacedClause &Where);
  void checkReduction(unsigned Parameter, const SectionExpr &Section, const PlacedClause &Where);
  void addSection(unsigned Parameter, const SectionExpr &Section, const PlacedClause &Where, unsigned Access);
  bool addAxis(SectionModel &Section, const SectionExpr &Expr, const SectionAxis &Axis, const PlacedClause &Where);
  bool addWhole(SectionModel &Section, clang::SourceLocation Loc);
  std::optional<ClauseText> expression(Fragment F, const PlacedClause &Where, const std::string &What);
  Extent extentOf(unsigned Parameter, unsigned Dimension);
  std::string pitchOf(unsigned Parameter, unsigned Dimension) const;
  std::optional<std::string> writtenLength(const clang::ParmVarDecl &Parameter) const;
  bool isOneElement(unsigned Parameter) const;
  clang::QualType pointee(unsigned Parameter) const;
  unsigned dimensionsOf(unsigned Parameter) const;
  clang::QualType elementOf(unsigned Parameter) const;

  const clang::FunctionDecl &Function;
  const clang::ASTContext &Context;
  TaskModel &Model;
  ClauseWriter &Writer;
  Reporter &Report;
  std::map<std::pair<unsigned, unsigned>, Extent> Extents; ///< by parameter and dimension
  bool UsesTask = false;
};

} // namespace streamap

#endif
