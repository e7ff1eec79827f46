//===- TokenStream.h - The tokens that the parser saw -----------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text for generated code is made from tokens after macro expansion: it then
// means the same wherever it is written, whatever macros are defined there, and
// a definition that a macro makes needs no care.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_TOKENSTREAM_H
#define STREAMAP_FRONTEND_TOKENSTREAM_H

#include "clang/Basic/SourceLocation.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
} // namespace clang

namespace streamap {

/// Tokens in order, found again by their location.
class TokenStream {
public:
  explicit TokenStream(clang::Preprocessor &PP) : PP(PP) {}

  void add(const clang::Token &Token) { Tokens.push_back(Token); }

  size_t size() const { return Tokens.size(); }
  const clang::Token &operator[](size_t At) const { return Tokens[At]; }

  /// The token that begins at \p Loc, a location of the expansion as the AST
  /// has it.
  std::optional<size_t> indexOf(clang::SourceLocation Loc) const;

  /// Spelling of one token.
  std::string spelling(size_t At) const;

  /// Text to put in place of tokens [first, second of the value).
  using Replacements = std::map<size_t, std::pair<size_t, std::string>>;

  /// Tokens [Begin, End) on one line, a blank between words where it is needed
  /// or was written.
  std::string text(size_t Begin, size_t End, const Replacements &Replaced = {}) const;

  /// The tokens that \p Range begins and ends with, both included; empty if one
  /// of them was not seen.
  std::optional<std::pair<size_t, size_t>> indices(clang::SourceRange Range) const;

private:
  clang::Preprocessor &PP;
  std::vector<clang::Token> Tokens;
  mutable llvm::DenseMap<clang::SourceLocation, size_t> Index;
  mutable size_t Indexed = 0;
};

} // namespace streamap

#endif
