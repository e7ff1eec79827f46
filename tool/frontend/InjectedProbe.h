//===- InjectedProbe.h - Clause expressions within a body -------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In C++ what a name means depends on where it stands: in a class, in a
// template's instantiation. So the expressions of a definition's directive are
// put behind its opening brace, as `if (0) { { const long long i = 0;
// (void)(e); } ... }`, made of the directive's own tokens: Clang parses them
// there, and instantiates them with the body. They are taken out of the body's
// tree again before anything else looks at it.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_INJECTEDPROBE_H
#define STREAMAP_FRONTEND_INJECTEDPROBE_H

#include "directive/Directive.h"

#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/TokenKinds.h"
#include "clang/Lex/Token.h"

#include <vector>

namespace clang {
class CompoundStmt;
class FunctionDecl;
class Preprocessor;
} // namespace clang

namespace streamap {

struct PreprocessorRecord;
struct RecordedPragma;
class TokenStream;

/// Makes tokens for the parser out of a pragma's own.
class TokenWriter {
public:
  /// The pragma's own tokens are added to \p Stream, as if they had been read there.
  TokenWriter(clang::Preprocessor &PP, const RecordedPragma &Pragma, TokenStream &Stream)
      : PP(PP), Pragma(Pragma), Stream(Stream) {}

  void sign(clang::tok::TokenKind Kind, clang::SourceLocation Loc);
  void word(const char *Name, clang::SourceLocation Loc);
  void number(const char *Digits, clang::SourceLocation Loc);
  void own(unsigned Token);

  /// `(void)(e);`; nothing for an empty fragment.
  void evaluate(Fragment F);

  /// Puts what has been written next.
  void enter();

private:
  clang::Preprocessor &PP;
  const RecordedPragma &Pragma;
  TokenStream &Stream;
  std::vector<clang::Token> Out;
};

/// Watches the tokens behind a `resource` directive for the brace that opens a
/// function's body, and puts the directive's expressions there. Does nothing in C.
class BodyFinder {
public:
  explicit BodyFinder(clang::Preprocessor &PP) : PP(PP) {}

  /// \p T is a token of the program, and RecordedPragma::Next is known for
  /// what stands before it.
  void operator()(const clang::Token &T, PreprocessorRecord &Record);

private:
  bool opensBody(const clang::Token &T);
  bool skipsRequirement(const clang::Token &T);
  void inject(RecordedPragma &Pragma, clang::SourceLocation Brace, TokenStream &Stream);

  clang::Preprocessor &PP;
  RecordedPragma *Current = nullptr;
  size_t Looked = 0; ///< pragmas looked at
  int Depth = 0;
  bool AfterParameters = false;
  enum class Requires { None, Expression, Parameters, Body } State = Requires::None;
  clang::tok::TokenKind Previous = clang::tok::unknown;
  int RequiresDepth = 0;
};

/// Takes the probe of \p Pragma out of \p Function's body. Null where there is none.
const clang::CompoundStmt *takeProbe(clang::FunctionDecl &Function, const RecordedPragma &Pragma);

} // namespace streamap

#endif
