//===- Directive.cpp - Brackets, errors and the directives ----------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/Directive.h"
#include "directive/DirectiveParser.h"

#include <algorithm>
#include <tuple>

using llvm::StringRef;

namespace streamap {

ParsedDirective parseDirective(const std::vector<PragmaToken> &Tokens) {
  return DirectiveParser(Tokens).parse();
}

//===--- Tokens and errors ------------------------------------------------===//

std::string DirectiveParser::quoted(unsigned I) const {
  return I < End ? Tokens[I].Text : "end of line";
}

std::string DirectiveParser::text(Fragment Range) const {
  std::string Result;
  for (unsigned I = Range.Begin; I < Range.End; ++I) {
    if (I > Range.Begin && Tokens[I].SpaceBefore)
      Result += ' ';
    Result += Tokens[I].Text;
  }
  return Result;
}

unsigned DirectiveParser::find(Fragment Range, StringRef Text) const {
  unsigned I = Range.Begin;
  while (I < Range.End && !at(I, Text))
    I = next(I);
  return std::min(I, Range.End);
}

DirectiveError &DirectiveParser::error(Diag Id, unsigned Token, std::vector<std::string> Arguments) {
  DirectiveError &Error = Errors.emplace_back();
  Error.Number = static_cast<unsigned>(Id);
  Error.Token = Token;
  Error.Arguments = std::move(Arguments);
  return Error;
}

void DirectiveParser::replace(DirectiveError &Error, Fragment Range, std::string Text) {
  Error.FixIt = DirectiveError::Edit{Range, std::move(Text), false};
}

void DirectiveParser::insertBefore(DirectiveError &Error, unsigned Token, std::string Text) {
  Error.FixIt = DirectiveError::Edit{{Token, Token}, std::move(Text), false};
}

void DirectiveParser::insertBehind(DirectiveError &Error, unsigned Token, std::string Text) {
  Error.FixIt = DirectiveError::Edit{{Token + 1, Token + 1}, std::move(Text), true};
}

//===--- Brackets ---------------------------------------------------------===//

bool DirectiveParser::matchBrackets() {
  Match.assign(Tokens.size(), 0);
  std::vector<unsigned> Opened;
  for (unsigned I = 0; I < End; ++I) {
    if (isOpen(I)) {
      Opened.push_back(I);
      continue;
    }
    if (!at(I, ")") && !at(I, "]") && !at(I, "}"))
      continue;
    if (Opened.empty()) {
      replace(error(Diag::ClosesNothing, I, {Tokens[I].Text}), {I, I + 1}, "");
      return false;
    }
    unsigned Open = Opened.back();
    const char *Partner = at(Open, "(") ? ")" : at(Open, "[") ? "]" : "}";
    if (!at(I, Partner)) {
      insertBehind(error(Diag::ClosedByOther, I, {Tokens[Open].Text, Tokens[I].Text}), I - 1, Partner);
      return false;
    }
    Opened.pop_back();
    Match[Open] = I;
    Match[I] = Open;
  }
  if (Opened.empty())
    return true;
  reportNeverClosed(Opened.back());
  return false;
}

void DirectiveParser::reportNeverClosed(unsigned Open) {
  const char *Partner = at(Open, "(") ? ")" : at(Open, "[") ? "]" : "}";
  DirectiveError &Error = error(Diag::NeverClosed, Open, {Tokens[Open].Text});
  // `[0-3:G`: the bracket belongs before a colon with a resource behind it.
  for (unsigned I = Open + 1; at(Open, "[") && I + 1 < End; ++I) {
    if (at(I, ":") && findResource(Tokens[I + 1].Text)) {
      insertBehind(Error, I - 1, Partner);
      return;
    }
  }
  insertBehind(Error, End - 1, Partner);
}

//===--- Directives -------------------------------------------------------===//

ParsedDirective DirectiveParser::parse() {
  Directive Result;
  dropSemicolon();
  if (End == 0) {
    error(Diag::MissingDirective, 0);
  } else if (matchBrackets()) {
    StringRef Word = Tokens[0].Text;
    Pos = 1;
    if (Word == "resource") {
      parseResource(Result);
    } else if (Word == "wait") {
      parseWait(Result);
    } else if (Word == "discard") {
      Result.Kind = DirectiveKind::Discard;
      parseListDirective(Result, "discard", "discard(x[0:n])");
    } else if (Word == "callable") {
      Result.Kind = DirectiveKind::Callable;
      expectEnd("callable");
    } else if (!isKind(0, Kind::Identifier) || (findClauseWord(Word) && startsClause(0)) || (findResource(Word) && at(1, ":"))) {
      insertBefore(error(Diag::UnknownDirective, 0, {Tokens[0].Text, "resource " + Tokens[0].Text}), 0, "resource ");
    } else {
      StringRef Near = nearestDirective(Word);
      DirectiveError &Error = error(Diag::UnknownDirective, 0, {Tokens[0].Text, Near.str()});
      if (!Near.empty())
        replace(Error, {0, 1}, Near.str());
    }
  }

  std::ranges::sort(Errors, [](const DirectiveError &A, const DirectiveError &B) {
    return std::tie(A.Token, A.Offset, A.Number) < std::tie(B.Token, B.Offset, B.Number);
  });
  ParsedDirective Parsed;
  Parsed.Errors = std::move(Errors);
  if (Parsed.Errors.empty())
    Parsed.Result = std::move(Result);
  return Parsed;
}

void DirectiveParser::dropSemicolon() {
  if (End == 0 || !at(End - 1, ";"))
    return;
  replace(error(Diag::TrailingSemicolon, End - 1), {End - 1, End}, "");
  --End;
}

void DirectiveParser::parseResource(Directive &Result) {
  Result.Kind = DirectiveKind::Resource;
  unsigned FirstClause = 0;
  while (Pos < End) {
    if (at(Pos, ",")) {
      replace(error(Diag::MisplacedComma, Pos, {FirstClause ? "a clause" : "tasks or a clause"}), {Pos, Pos + 1}, "");
      ++Pos;
      continue;
    }
    unsigned Begin = Pos;
    if (!startsItem(Pos)) {
      FirstClause = FirstClause ? FirstClause : Pos;
      parseClause(Result);
    } else if (!FirstClause) {
      parseItem(Result);
    } else {
      skipItem();
      error(Diag::ListBehindClause, Begin, {text({Begin, Pos}), Tokens[FirstClause].Text});
    }
    if (!at(Pos, ","))
      continue;
    ++Pos;
    if (Pos == End)
      replace(error(Diag::TrailingComma, Pos - 1), {Pos - 1, Pos}, "");
  }
  Result.HasItems = !Result.Items.empty();
  checkList(Result);
  checkExtents(Result);
}

void DirectiveParser::parseWait(Directive &Result) {
  if (at(Pos, "on")) {
    ++Pos;
    Result.Kind = DirectiveKind::WaitOn;
    parseListDirective(Result, "wait on", "wait on(x[0:n])");
    return;
  }
  Result.Kind = DirectiveKind::Wait;
  if (at(Pos, "(")) {
    insertBehind(error(Diag::WaitWithoutOn, Pos), Pos - 1, " on");
    return;
  }
  expectEnd("wait");
}

void DirectiveParser::parseListDirective(Directive &Result, StringRef Name, StringRef Example) {
  if (!at(Pos, "(")) {
    error(Diag::MissingList, Pos, {Name.str(), Example.str()});
    return;
  }
  Fragment List{Pos + 1, Match[Pos]};
  if (List.empty())
    error(Diag::EmptyClause, Pos, {Name.str(), Example.str()});
  else
    Result.Sections = parseSections(List);
  Pos = List.End + 1;
  expectEnd(Name);
}

void DirectiveParser::expectEnd(StringRef Name) {
  if (Pos >= End)
    return;
  if (isKind(Pos, Kind::Identifier) && findClauseWord(Tokens[Pos].Text))
    error(Diag::ClauseNotAllowed, Pos, {Tokens[Pos].Text, Name.str()});
  else
    replace(error(Diag::UnexpectedBehind, Pos, {Tokens[Pos].Text, Name.str()}), {Pos, End}, "");
}

} // namespace streamap
