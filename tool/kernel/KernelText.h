//===- KernelText.h - The user's text, fit for a device ---------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel keeps the text of its loop: tokens after macro expansion, on their
// lines. Only what C and CUDA C++ read differently is changed (conversions that
// C++ wants written, arrays of variable length, which become pointers to their
// elements), and variables that live elsewhere in the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_KERNELTEXT_H
#define STREAMAP_KERNEL_KERNELTEXT_H

#include "directive/Diagnostics.h"
#include "frontend/TokenStream.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ArraySubscriptExpr;
class ASTContext;
class CallExpr;
class Expr;
class ImplicitCastExpr;
class OMPAtomicDirective;
class OMPExecutableDirective;
class ParmVarDecl;
class QualType;
class Stmt;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace streamap {

/// Why something cannot be a kernel.
struct KernelProblem {
  Diag Id;
  clang::SourceLocation Loc;
  std::vector<std::string> Arguments;
};

/// Whether \p Type points to an array of variable length.
bool pointsToVariableArray(clang::QualType Type);

/// The type that flattening leaves behind the pointer \p Type.
clang::QualType flatElement(const clang::ASTContext &Context, clang::QualType Type);

/// How many strides a flattened pointer of \p Type has.
unsigned flatLevels(const clang::ASTContext &Context, clang::QualType Type);

/// The name of the value that holds stride \p Level of \p Variable, in elements.
std::string strideName(const clang::VarDecl &Variable, unsigned Level);

/// Prints statements and notes what cannot be printed for a device.
class KernelText {
public:
  KernelText(const clang::ASTContext &Context, const TokenStream &Stream, std::vector<KernelProblem> &Problems)
      : Context(Context), Stream(Stream), Problems(Problems) {}

  /// References to \p Variable become \p Text.
  void replace(const clang::ValueDecl *Variable, std::string Text) { Texts[Variable] = std::move(Text); }

  /// \p E becomes \p Text, wherever it stands.
  void replace(const clang::Stmt *E, std::string Text) { Statements[E] = std::move(Text); }

  /// What the number of the running task and the count of tasks are called.
  static constexpr const char *TaskIndex = "streamap_at_index", *TaskCount = "streamap_at_count";
  bool usesTaskIndex() const { return SawIndex; }
  bool usesTaskCount() const { return SawCount; }

  /// \p S on its own lines, a semicolon behind it where it needs one.
  std::string statement(const clang::Stmt *S);
  /// An expression, with line breaks where they were written.
  std::string expression(const clang::Expr *E);
  /// Tokens [Begin, End) with \p Replaced; pragmas are left out.
  std::string tokens(size_t Begin, size_t End, const TokenStream::Replacements &Replaced = {}) const;
  /// Collects the replacements inside \p S, a part of what tokens() is going to print.
  void collect(const clang::Stmt *S, TokenStream::Replacements &Replaced);

  void problem(Diag Id, clang::SourceLocation Loc, std::vector<std::string> Arguments = {});

private:
  std::optional<std::string> replacement(const clang::Stmt *S);
  std::optional<std::string> castText(const clang::ImplicitCastExpr &Cast);
  std::optional<std::string> callText(const clang::CallExpr &Call);
  std::optional<std::string> flatSubscript(const clang::Expr *E);
  struct Flat {
    std::string Base, Offset;
    const clang::VarDecl *Root = nullptr;
    unsigned Level = 0;
  };
  std::optional<Flat> flatten(const clang::Expr *E);
  void directive(const clang::OMPExecutableDirective &Directive, TokenStream::Replacements &Replaced);
  std::string atomicText(const clang::OMPAtomicDirective &Directive, const clang::Stmt *S);
  std::string updateText(const clang::Expr *E);
  void makeExplicit(const clang::Expr *E);
  std::string typed(clang::QualType Type, const std::string &Name) const;
  unsigned lineOf(size_t At, bool &Known) const;

  const clang::ASTContext &Context;
  const TokenStream &Stream;
  std::vector<KernelProblem> &Problems;
  llvm::DenseMap<const clang::ValueDecl *, std::string> Texts;
  llvm::DenseMap<const clang::Stmt *, std::string> Statements;
  llvm::DenseSet<const clang::Expr *> Explicit; ///< implicit casts that must be written
  bool SawIndex = false, SawCount = false;
};

} // namespace streamap

#endif
