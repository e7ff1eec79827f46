//===- Probe.h - Clause expressions through the parser ----------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind the end of the source the parser is given one more buffer, with a
// function for each directive that has the task's parameters and, as its
// statements, the directive's expressions. So Clang itself checks and types
// them, and what it says about them is moved to the pragma.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_PROBE_H
#define STREAMAP_FRONTEND_PROBE_H

#include "frontend/PragmaRecorder.h"

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>

namespace clang {
class CompoundStmt;
class Decl;
class Expr;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace streamap {

/// What the parser made of one fragment.
struct ProbedExpr {
  const clang::Expr *Expression = nullptr; ///< null if it is no expression
  const clang::VarDecl *Split = nullptr;   ///< the split variable in scope there, or null
};

/// One directive's fragments, in the scope of one function's parameters.
class Probe {
public:
  /// \p Parameters: text of the parameter list. \p SplitVariable may be empty.
  /// \p Namespaces: that the names are looked up in; "" has no name.
  Probe(const RecordedPragma &Pragma, std::string Parameters, std::string SplitVariable, std::vector<std::string> Namespaces)
      : Pragma(&Pragma), Parameters(std::move(Parameters)), SplitVariable(std::move(SplitVariable)),
        Namespaces(std::move(Namespaces)) {}

  /// One whose expressions stand in \p Function's body already, as \p Block.
  Probe(const RecordedPragma &Pragma, const clang::FunctionDecl &Function, const clang::CompoundStmt *Block);

  /// Asks for \p Wanted. With \p InSplit the split variable is in scope.
  void add(Fragment Wanted, bool InSplit);

  const RecordedPragma &pragma() const { return *Pragma; }
  const clang::FunctionDecl *function() const { return Function; }

  /// What became of \p Wanted, which has been added.
  ProbedExpr find(Fragment Wanted) const;

private:
  friend class ProbeBuffer;
  struct Piece {
    Fragment Wanted;
    bool InSplit = false;
    ProbedExpr Result;
  };
  const RecordedPragma *Pragma;
  void read(const clang::CompoundStmt &Block);

  std::string Parameters, SplitVariable;
  std::vector<std::string> Namespaces;
  bool InBuffer = true; ///< to be parsed behind the end of the source
  std::vector<Piece> Pieces;
  const clang::FunctionDecl *Function = nullptr;
};

/// The text of all probes, and the way back from it.
class ProbeBuffer {
public:
  explicit ProbeBuffer(std::vector<Probe> &Probes);

  const std::string &text() const { return Text; }

  /// The token of a pragma that the character at \p Offset of the text belongs to;
  /// nearest one if it belongs to none. Invalid outside of all probes.
  clang::SourceLocation original(size_t Offset) const;

  /// After the parse, which gave \p Declarations: finds each probe's function
  /// and expressions.
  void collect(llvm::ArrayRef<clang::Decl *> Declarations);

private:
  std::vector<Probe> &Probes;
  std::string Text;
  std::map<size_t, clang::SourceLocation> Origins; ///< from the offset of a token
};

} // namespace streamap

#endif
