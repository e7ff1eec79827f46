//===- PragmaLexer.cpp - Preprocessing tokens for tests -------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PragmaLexer.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace streamap {

namespace {

bool isWord(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}
bool isDigit(char C) {
  return std::isdigit(static_cast<unsigned char>(C));
}

size_t numberLength(std::string_view Text) {
  size_t Length = 1;
  while (Length < Text.size()) {
    char Previous = Text[Length - 1], C = Text[Length];
    bool Exponent = (C == '+' || C == '-') && std::string_view("eEpP").find(Previous) != std::string_view::npos;
    bool Separator = C == '\'' && Length + 1 < Text.size() && isWord(Text[Length + 1]);
    if (!isWord(C) && C != '.' && !Exponent && !Separator)
      break;
    ++Length;
  }
  return Length;
}

size_t quotedLength(std::string_view Text) {
  size_t Length = 1;
  while (Length < Text.size() && Text[Length] != Text[0])
    Length += Text[Length] == '\\' ? 2 : 1;
  return std::min(Length + 1, Text.size());
}

size_t punctuatorLength(std::string_view Text) {
  static const char *const Long[] = {"...", "<<=", ">>=", "::", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&",
                                     "||",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
  for (std::string_view Candidate : Long)
    if (Text.starts_with(Candidate))
      return Candidate.size();
  return 1;
}

} // namespace

LexedPragma lexPragma(const std::string &Line) {
  using Kind = PragmaToken::Kind;
  LexedPragma Result;
  bool Space = true;
  for (size_t I = 0; I < Line.size();) {
    std::string_view Rest = std::string_view(Line).substr(I);
    char C = Rest[0];
    if (std::isspace(static_cast<unsigned char>(C))) {
      Space = true;
      ++I;
      continue;
    }
    Kind K = Kind::Punctuator;
    size_t Length = 1;
    if (isDigit(C) || (C == '.' && Rest.size() > 1 && isDigit(Rest[1]))) {
      K = Kind::Number;
      Length = numberLength(Rest);
    } else if (isWord(C)) {
      K = Kind::Identifier;
      while (Length < Rest.size() && isWord(Rest[Length]))
        ++Length;
    } else if (C == '"' || C == '\'') {
      K = C == '"' ? Kind::String : Kind::Char;
      Length = quotedLength(Rest);
    } else if (C == '@' || C == '`' || C == '\\') {
      K = Kind::Unknown;
    } else {
      Length = punctuatorLength(Rest);
    }
    Result.Tokens.push_back({K, std::string(Rest.substr(0, Length)), Space});
    Result.Columns.push_back(static_cast<unsigned>(I));
    Space = false;
    I += Length;
  }
  return Result;
}

} // namespace streamap
