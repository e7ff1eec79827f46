//===- SplitLoops.h - The loops that split(i) cuts --------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_SPLITLOOPS_H
#define STREAMAP_FRONTEND_SPLITLOOPS_H

#include "frontend/Reporter.h"
#include "streamap/abi.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class Expr;
class ForStmt;
class FunctionDecl;
class OMPExecutableDirective;
class ParmVarDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace streamap {

/// `for (T i = First; i Relation Bound; i += Step)`.
struct SplitLoop {
  const clang::ForStmt *Loop = nullptr;
  const clang::VarDecl *Index = nullptr;
  const clang::Expr *First = nullptr, *Bound = nullptr;
  const clang::Expr *Step = nullptr; ///< null: one
  bool StepDown = false;             ///< `--`, `-=`
  streamap_loop_relation Relation = STREAMAP_LOOP_LT;
};

/// Takes any `for` apart, whatever its index is called; nothing if it is not of that form.
std::optional<SplitLoop> readLoop(const clang::ForStmt &Loop);

/// The split loops of a function, and the OpenMP directives around them that
/// need every variable named.
struct SplitLoops {
  std::vector<SplitLoop> Loops;
  std::vector<const clang::OMPExecutableDirective *> DefaultNone;
};

/// What may be written where.
struct SplitRules {
  std::string Variable;
  llvm::DenseSet<const clang::VarDecl *> Private;        ///< private clause of the directive
  llvm::DenseSet<const clang::ParmVarDecl *> Sections;   ///< parameters with sections
  llvm::DenseSet<const clang::ParmVarDecl *> Reductions; ///< those in reduction clauses
};

/// Finds the outermost loops over \p Rules.Variable in the definition \p Task
/// and reports what keeps them from being split. \p Pragma is where the clause
/// stands.
SplitLoops findSplitLoops(const clang::FunctionDecl &Task, const SplitRules &Rules, clang::SourceLocation Pragma,
                          Reporter &Report);

/// The parameter or variable that the pointer in the lvalue \p Object comes
/// from, through subscripts, members and arithmetic; null if that cannot be told.
const clang::VarDecl *rootOf(const clang::Expr *Object);

/// Whether anything in \p Body assigns to \p Variable or takes its address.
bool isChanged(const clang::Stmt *Body, const clang::VarDecl *Variable);

/// Whether \p Task, or a function with a visible body that it calls, asks which task it is.
bool asksForTaskNumber(const clang::FunctionDecl &Task);

} // namespace streamap

#endif
