//===- Clauses.cpp - in(...), split(i), once ------------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/DirectiveParser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace streamap {

namespace {

constexpr StringRef ReductionOperators[] = {"+", "*", "min", "max", "&", "|", "^", "&&", "||"};

} // namespace

/// A clause's name where its list, or for `once` nothing, has to follow.
bool DirectiveParser::startsClause(unsigned I) const {
  if (!isKind(I, Kind::Identifier))
    return false;
  const ClauseWord *Word = findClauseWord(Tokens[I].Text);
  return Word && !at(I + 1, ":") && (Word->Kind == ClauseKind::Once || at(I + 1, "("));
}

void DirectiveParser::parseClause(Directive &Result) {
  const ClauseWord *Word = isKind(Pos, Kind::Identifier) ? findClauseWord(Tokens[Pos].Text) : nullptr;
  if (!Word) {
    reportUnknownClause();
    return;
  }
  Clause Into;
  Into.Kind = Word->Kind;
  Into.NameToken = Pos++;
  bool HasList = at(Pos, "(");
  Fragment Arguments = HasList ? Fragment{Pos + 1, Match[Pos]} : Fragment{Pos, Pos};
  Pos = HasList ? Arguments.End + 1 : Pos;
  Into.Whole = {Into.NameToken, Pos};

  if (Word->Single && llvm::any_of(Result.Clauses, [&](const Clause &Other) { return Other.Kind == Word->Kind; })) {
    replace(error(Diag::ClauseTwice, Into.NameToken, {Word->Word.str()}), Into.Whole, "");
    return;
  }
  if (Word->Kind == ClauseKind::Once) {
    if (HasList)
      replace(error(Diag::ClauseTakesNothing, Into.Whole.Begin + 1, {"once"}), {Into.Whole.Begin + 1, Pos}, "");
  } else if (!HasList) {
    error(Diag::ClauseNeedsParentheses, Into.NameToken, {Word->Word.str(), Word->Example.str()});
    skipToClause();
  } else if (Arguments.empty()) {
    error(Diag::EmptyClause, Into.NameToken, {Word->Word.str(), Word->Example.str()});
  } else {
    parseArguments(Into, Arguments);
  }
  Result.Clauses.push_back(std::move(Into));
}

/// Leaves what belongs to no rule.
void DirectiveParser::skipToClause() {
  while (Pos < End && !at(Pos, ",") && !startsClause(Pos))
    Pos = next(Pos);
}

void DirectiveParser::reportUnknownClause() {
  unsigned Begin = Pos;
  if (!isKind(Begin, Kind::Identifier)) {
    error(Diag::UnexpectedBehind, Begin, {Tokens[Begin].Text, Tokens[Begin - 1].Text});
    skipToClause();
    return;
  }
  ++Pos;
  if (at(Pos, "("))
    Pos = Match[Pos] + 1;
  else
    skipToClause();
  StringRef Near = nearestClause(Tokens[Begin].Text);
  DirectiveError &Error = error(Diag::UnknownClause, Begin, {Tokens[Begin].Text, Near.str()});
  if (!Near.empty())
    replace(Error, {Begin, Begin + 1}, Near.str());
}

void DirectiveParser::parseArguments(Clause &Into, Fragment Arguments) {
  switch (Into.Kind) {
  case ClauseKind::In:
  case ClauseKind::Out:
  case ClauseKind::InOut:
  case ClauseKind::Reduction:
  case ClauseKind::Extent:
  case ClauseKind::Private:
    parseSectionClause(Into, Arguments);
    return;
  case ClauseKind::Split:
  case ClauseKind::Implements:
    parseNameClause(Into, Arguments);
    return;
  case ClauseKind::Priority:
  case ClauseKind::Cores:
  case ClauseKind::Memory:
  case ClauseKind::Share:
  case ClauseKind::Cost:
    parseExpressionClause(Into, Arguments);
    return;
  case ClauseKind::Require:
    parseRequirements(Into, Arguments);
    return;
  case ClauseKind::Once:
    return;
  }
}

//===--- Clauses with sections --------------------------------------------===//

void DirectiveParser::parseSectionClause(Clause &Into, Fragment Arguments) {
  std::string Name = wordOf(Into.Kind).Word.str();
  bool Assume = false;
  unsigned Colon = find(Arguments, ":");
  if (Into.Kind == ClauseKind::Reduction) {
    if (!parseReductionOperator(Into, Arguments))
      return;
  } else if (Colon != Arguments.End) {
    bool HasWord = Colon == Arguments.Begin + 1 && at(Arguments.Begin, "assume");
    if (HasWord && Into.Kind != ClauseKind::Out) {
      replace(error(Diag::AssumeNotHere, Arguments.Begin, {Name}), {Arguments.Begin, Colon + 1}, "");
      return;
    }
    if (!HasWord) {
      error(Diag::StrayColon, Colon, {Name, Into.Kind == ClauseKind::Out ? "" : "'reduction' or 'out'"});
      return;
    }
    Assume = true;
    Arguments.Begin = Colon + 1;
  }
  if (Arguments.empty()) {
    error(Diag::EmptyClause, Into.NameToken, {Name, wordOf(Into.Kind).Example.str()});
    return;
  }
  Into.Sections = parseSections(Arguments);
  for (SectionExpr &Section : Into.Sections)
    Section.Assume = Assume;
}

/// Takes `op :` off the front of \p Arguments.
bool DirectiveParser::parseReductionOperator(Clause &Into, Fragment &Arguments) {
  unsigned Colon = find(Arguments, ":");
  if (Colon == Arguments.End) {
    error(Diag::MissingOperator, Arguments.Begin, {text(Arguments)});
    return false;
  }
  std::string Operator = text({Arguments.Begin, Colon});
  if (Operator.empty()) {
    error(Diag::MissingOperator, Colon, {text({Colon + 1, Arguments.End})});
    return false;
  }
  if (!llvm::is_contained(ReductionOperators, StringRef(Operator))) {
    // Partial results of a difference are added, as in OpenMP.
    DirectiveError &Error =
        error(Diag::UnknownOperator, Arguments.Begin, {Operator, Operator == "-" ? "+ for a difference" : ""});
    if (Operator == "-")
      replace(Error, {Arguments.Begin, Colon}, "+");
    return false;
  }
  Into.Operator = Operator;
  Arguments.Begin = Colon + 1;
  return true;
}

void DirectiveParser::checkExtents(const Directive &Result) {
  llvm::StringSet<> Seen;
  for (const Clause &Clause : Result.Clauses) {
    if (Clause.Kind != ClauseKind::Extent)
      continue;
    for (const SectionExpr &Section : Clause.Sections) {
      std::string Name = text(Section.Base);
      if (!Seen.insert(Name).second)
        error(Diag::ExtentTwice, Section.Base.Begin, {Name});
      if (Section.Axes.empty())
        error(Diag::ExtentNeedsLength, Section.Base.Begin, {Name});
      for (const SectionAxis &Axis : Section.Axes) {
        if (Axis.HasColon && !Axis.Length.empty())
          continue;
        DirectiveError &Error = error(Diag::ExtentNeedsLength, Axis.Whole.Begin, {Name});
        if (!Axis.HasColon)
          insertBefore(Error, Axis.Lower.Begin, "0:");
      }
    }
  }
}

//===--- Clauses with one expression or name ------------------------------===//

void DirectiveParser::parseExpressionClause(Clause &Into, Fragment Arguments) {
  if (unsigned Comma = find(Arguments, ","); Comma != Arguments.End) {
    error(Diag::OneArgument, Comma, {wordOf(Into.Kind).Word.str(), "expression"});
    return;
  }
  if (checkExpression(Arguments))
    Into.Expression = Arguments;
}

void DirectiveParser::parseNameClause(Clause &Into, Fragment Arguments) {
  bool Split = Into.Kind == ClauseKind::Split;
  std::string Name = wordOf(Into.Kind).Word.str();
  if (!isKind(Arguments.Begin, Kind::Identifier)) {
    error(Diag::NotAName, Arguments.Begin, {Name, Split ? "a loop variable" : "a task function", Tokens[Arguments.Begin].Text});
    return;
  }
  // A name in a namespace has several tokens.
  unsigned Last = Arguments.Begin;
  while (!Split && at(Last + 1, "::") && isKind(Last + 2, Kind::Identifier))
    Last += 2;
  if (Last + 1 != Arguments.End) {
    error(Diag::OneArgument, Last + 1, {Name, Split ? "loop variable" : "task function"});
    return;
  }
  Into.Name = text(Arguments);
}

} // namespace streamap
