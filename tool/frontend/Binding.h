//===- Binding.h - What each directive stands before ------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_BINDING_H
#define STREAMAP_FRONTEND_BINDING_H

#include "frontend/CheckTask.h"
#include "frontend/PragmaRecorder.h"
#include "frontend/Reporter.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace clang {
class ASTContext;
class CallExpr;
class CompoundStmt;
class FunctionDecl;
class SourceManager;
} // namespace clang

namespace streamap {

/// A function that a `resource` directive names, with all its annotated
/// declarations.
struct BoundTask {
  const clang::FunctionDecl *Annotated = nullptr; ///< the declaration whose directive counts
  const RecordedPragma *Pragma = nullptr;
  std::vector<const RecordedPragma *> All;
};

/// `resource` before a call statement.
struct BoundCall {
  const RecordedPragma *Pragma = nullptr;
  const clang::CallExpr *Call = nullptr;
  const clang::FunctionDecl *Callee = nullptr;
  const clang::FunctionDecl *Enclosing = nullptr;
};

/// `wait`, `wait on` or `discard` in a function.
struct BoundStatement {
  const RecordedPragma *Pragma = nullptr;
  const clang::FunctionDecl *Enclosing = nullptr;
  const clang::CompoundStmt *Regions = nullptr; ///< the injected block; null for `wait`
  bool NoInstance = false;                      ///< in a template that nobody uses here
};

struct Bindings {
  const RecordedPragma *Program = nullptr; ///< in front of main
  const clang::FunctionDecl *Main = nullptr;
  /// By canonical declaration, in the order of the source.
  llvm::MapVector<const clang::FunctionDecl *, BoundTask> Tasks;
  std::vector<BoundCall> Calls;
  std::vector<BoundStatement> Statements;
  CallableSet Callable;
  std::vector<const clang::FunctionDecl *> CallableDefinitions;
  std::vector<const clang::FunctionDecl *> Definitions; ///< of the user's, with those of templates

  /// The definition whose body \p Loc lies in; null outside of all.
  const clang::FunctionDecl *enclosing(clang::SourceLocation Loc, const clang::SourceManager &Sources) const;
};

/// Finds what every pragma of \p Record stands before, and reports grammar errors and
/// directives that stand in a wrong place.
Bindings bindDirectives(clang::ASTContext &Context, const PreprocessorRecord &Record, Reporter &Report);

/// `resource`, `wait on`...
const char *directiveName(DirectiveKind Kind);

} // namespace streamap

#endif
