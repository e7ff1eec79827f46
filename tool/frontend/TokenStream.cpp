//===- TokenStream.cpp - The tokens that the parser saw -------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/TokenStream.h"

#include "clang/Lex/Preprocessor.h"

namespace streamap {

std::optional<size_t> TokenStream::indexOf(clang::SourceLocation Loc) const {
  for (; Indexed < Tokens.size(); ++Indexed)
    Index.try_emplace(Tokens[Indexed].getLocation(), Indexed);
  auto Found = Index.find(Loc);
  if (Found == Index.end())
    return std::nullopt;
  return Found->second;
}

std::string TokenStream::spelling(size_t At) const {
  return PP.getSpelling(Tokens[At]);
}

std::optional<std::pair<size_t, size_t>> TokenStream::indices(clang::SourceRange Range) const {
  std::optional<size_t> Begin = indexOf(Range.getBegin()), End = indexOf(Range.getEnd());
  if (!Begin || !End || *End < *Begin)
    return std::nullopt;
  return std::pair(*Begin, *End + 1);
}

std::string TokenStream::text(size_t Begin, size_t End, const Replacements &Replaced) const {
  std::string Result;
  for (size_t I = Begin; I < End;) {
    const clang::Token &Token = Tokens[I];
    // A macro's first token carries no blank of its own; two words or two signs must not grow together.
    if (!Result.empty() && (Token.hasLeadingSpace() || Token.isAtStartOfLine() || Token.getLocation().isMacroID() ||
                            (I > Begin && Tokens[I - 1].getLocation().isMacroID())))
      Result += ' ';
    auto Found = Replaced.find(I);
    if (Found != Replaced.end()) {
      Result += Found->second.second;
      I = Found->second.first;
    } else {
      if (!Token.isAnnotation())
        Result += spelling(I);
      ++I;
    }
  }
  return Result;
}

} // namespace streamap
