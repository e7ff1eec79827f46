//===- ClauseText.h - Expressions that every rank can evaluate --*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thunks of a task are functions of its argument pack alone. An expression
// of the user's may use by-value parameters as they are; what it reads from
// memory is read once, by the call, and travels in the pack.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_CLAUSETEXT_H
#define STREAMAP_FRONTEND_CLAUSETEXT_H

#include "frontend/Reporter.h"
#include "frontend/TaskModel.h"
#include "frontend/TokenStream.h"

#include "llvm/ADT/DenseMap.h"

namespace clang {
class ASTContext;
class Expr;
class ParmVarDecl;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace streamap {

/// Why an expression cannot go into a thunk.
enum class ClauseFault {
  None,
  SideEffect,     ///< assigns
  Call,           ///< calls something that may do more than compute from its arguments
  UnknownAddress, ///< reads memory at an address that depends on the index or the task
  NotParameter    ///< uses a variable that is none of those that are known at the call
};

/// An expression as text, with what was found in it.
struct ClauseText {
  std::string Text;
  bool UsesSplit = false;
  bool UsesTask = false; ///< streamap_task_index or _count
  ClauseFault Fault = ClauseFault::None;
  const clang::Expr *Culprit = nullptr;
  std::string Callee; ///< for ClauseFault::Call; empty if the call names no function
};

/// Reports the fault of \p Text, if it has one, at \p Loc. Returns whether it has none.
bool reportFault(const ClauseText &Text, clang::SourceLocation Loc, Reporter &Report);

/// Makes text of one function's expressions and collects their memory reads.
class ClauseWriter {
public:
  /// \p Names: the name under which generated code knows each value that may be
  /// used: parameters of the function or of the probe, and captured variables.
  ClauseWriter(clang::ASTContext &Context, const TokenStream &Stream, std::vector<MemoryRead> &Reads)
      : Context(Context), Stream(Stream), Reads(Reads) {}

  void name(const clang::ValueDecl *Value, std::string Name) { Names[Value] = std::move(Name); }

  /// \p Split: the split variable in scope, or null. With \p InBody, locals of
  /// a body that are not known at the call are faults.
  ClauseText write(const clang::Expr *E, const clang::VarDecl *Split);

  /// Whether what is read has its type by name, as in every instantiation; else
  /// it is that of the expression.
  void printTypes(bool Print) { PrintTypes = Print; }

  /// The source's text of \p Range as it stands there.
  std::optional<std::string> textOf(clang::SourceRange Range) const;

private:
  class Walker;
  clang::ASTContext &Context;
  const TokenStream &Stream;
  std::vector<MemoryRead> &Reads;
  llvm::DenseMap<const clang::ValueDecl *, std::string> Names;
  bool PrintTypes = true;
};

/// Whether \p E is a * i + b with a and b not depending on \p Split.
bool isAffine(const clang::Expr *E, const clang::VarDecl *Split);

} // namespace streamap

#endif
