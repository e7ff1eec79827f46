//===- Sections.cpp - x[i-1:3], A[r0:nr][c0:nc] ---------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/DirectiveParser.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace streamap {

void DirectiveParser::forEachEntry(Fragment List, StringRef What, llvm::function_ref<void(Fragment)> Entry) {
  unsigned Begin = List.Begin;
  while (Begin < List.End) {
    unsigned Comma = find({Begin, List.End}, ",");
    if (Comma == Begin)
      replace(error(Diag::MisplacedComma, Comma, {What.str()}), {Comma, Comma + 1}, "");
    else
      Entry({Begin, Comma});
    if (Comma != Begin && Comma + 1 == List.End)
      replace(error(Diag::TrailingComma, Comma), {Comma, Comma + 1}, "");
    Begin = Comma + 1;
  }
}

std::vector<SectionExpr> DirectiveParser::parseSections(Fragment List) {
  std::vector<SectionExpr> Sections;
  forEachEntry(List, "a section", [&](Fragment Range) {
    SectionExpr Section;
    if (parseSection(Range, Section))
      Sections.push_back(std::move(Section));
  });
  return Sections;
}

bool DirectiveParser::parseSection(Fragment Range, SectionExpr &Section) {
  unsigned I = Range.Begin;
  if (at(I, "::")) // the global name of C++
    ++I;
  if (!isKind(I, Kind::Identifier)) {
    error(Diag::NotASection, I, {quoted(I)});
    return false;
  }
  ++I;
  while (I < Range.End && (at(I, ".") || at(I, "->") || at(I, "::"))) {
    if (I + 1 >= Range.End || !isKind(I + 1, Kind::Identifier)) {
      error(Diag::NotASection, I, {Tokens[I].Text});
      return false;
    }
    I += 2;
  }
  Section.Base = {Range.Begin, I};
  Section.Whole = Range;
  for (; I < Range.End && at(I, "["); I = Match[I] + 1)
    if (!parseAxis(I, Section))
      return false;
  if (I == Range.End)
    return true;
  error(Diag::NotASection, I, {Tokens[I].Text});
  return false;
}

bool DirectiveParser::parseAxis(unsigned Open, SectionExpr &Section) {
  SectionAxis Axis;
  Axis.Whole = {Open, Match[Open] + 1};
  Fragment Inside{Open + 1, Match[Open]};
  if (Inside.empty()) {
    error(Diag::EmptySubscript, Open, {text(Section.Base)});
    return false;
  }
  unsigned Conditions = 0;
  for (unsigned I = Inside.Begin; I < Inside.End; I = next(I)) {
    bool Dots =
        at(I, "...") || (at(I, ".") && at(I + 1, ".")) || (isKind(I, Kind::Number) && StringRef(Tokens[I].Text).contains(".."));
    // `n::m` is a name of C++; behind anything else two colons lack a length.
    bool Doubled = at(I, "::") &&
                   (I == Inside.Begin || at(I - 1, ":") || !isKind(I - 1, Kind::Identifier) || !isKind(I + 1, Kind::Identifier));
    if (Dots || Doubled) {
      error(Dots ? Diag::SectionDots : Diag::SectionStride, I);
      return false;
    }
    if (at(I, "?"))
      ++Conditions;
    if (!at(I, ":"))
      continue;
    if (Conditions > 0) {
      --Conditions;
    } else if (Axis.HasColon) {
      error(Diag::SectionStride, I);
      return false;
    } else {
      Axis.HasColon = true;
      Axis.Lower = {Inside.Begin, I};
      Axis.Length = {I + 1, Inside.End};
    }
  }
  if (!Axis.HasColon)
    Axis.Lower = Inside;
  Section.Axes.push_back(Axis);
  return checkExpression(Axis.Lower) && checkExpression(Axis.Length);
}

bool DirectiveParser::checkExpression(Fragment Range) {
  if (Range.empty())
    return true;
  unsigned Last = Range.End - 1;
  bool Closed = at(Last, ")") || at(Last, "]") || at(Last, "}") || at(Last, "++") || at(Last, "--");
  if (!isKind(Last, Kind::Punctuator) || Closed)
    return true;
  error(Diag::MissingExpression, Range.End, {quoted(Range.End)});
  return false;
}

} // namespace streamap
