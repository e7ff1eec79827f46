//===- Reporter.cpp - Numbered diagnostics, shown as clang shows them -----===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/Reporter.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include <cassert>

using namespace clang;

namespace streamap {

namespace {

/// The text goes in as an argument: user text in it may hold '%'.
unsigned plainDiagnostic(DiagnosticsEngine &Engine, DiagnosticsEngine::Level Level) {
  return Engine.getCustomDiagID(Level, "%0");
}

} // namespace

void Reporter::report(Diag Id, SourceLocation Loc, llvm::ArrayRef<std::string> Arguments, std::optional<FixItHint> FixIt) {
  report(Id, Loc, Arguments, FixIt ? llvm::ArrayRef<FixItHint>(*FixIt) : llvm::ArrayRef<FixItHint>());
}

void Reporter::report(Diag Id, SourceLocation Loc, llvm::ArrayRef<std::string> Arguments, llvm::ArrayRef<FixItHint> FixIts) {
  const DiagInfo *Info = findDiagnostic(Id);
  assert(Info && "no such diagnostic in Diagnostics.def");
  bool IsError = Info->Level == Severity::Error;
  if (Loc.isMacroID() && Engine.hasSourceManager())
    Loc = Engine.getSourceManager().getExpansionLoc(Loc);
  Repeated = isRepeated(Id, Loc, Arguments);
  if (Repeated)
    return;
  ++(IsError ? Errors : Warnings);
  std::vector<std::string> Words(Arguments.begin(), Arguments.end());
  std::string Text = fillText(Info->Text, Words) + " [SM" + std::to_string(static_cast<unsigned>(Id)) + "]";
  {
    DiagnosticBuilder Builder =
        Engine.Report(Loc, plainDiagnostic(Engine, IsError ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning));
    Builder << Text;
    for (const FixItHint &Edit : FixIts)
      Builder << Edit;
  }
  // Without a location: the snippet has just been shown.
  if (std::string Hint = fillText(Info->Hint, Words); !Hint.empty())
    note(SourceLocation(), Hint);
}

bool Reporter::isRepeated(Diag Id, SourceLocation Loc, llvm::ArrayRef<std::string> Arguments) {
  std::string Key = std::to_string(static_cast<unsigned>(Id)) + "@" + std::to_string(Loc.getRawEncoding());
  for (const std::string &Argument : Arguments)
    Key += '\0' + Argument;
  return !Said.insert(std::move(Key)).second;
}

void Reporter::note(SourceLocation Loc, llvm::StringRef Text) {
  if (Repeated)
    return;
  Engine.Report(Loc, plainDiagnostic(Engine, DiagnosticsEngine::Note)) << Text;
}

void Reporter::report(const DirectiveError &Problem, const PragmaLocations &Locations) {
  assert(Options && "grammar errors need the language to measure tokens");
  const SourceManager &Sources = Engine.getSourceManager();
  auto startOf = [&](unsigned Token) { return Token < Locations.Tokens.size() ? Locations.Tokens[Token] : Locations.End; };

  std::optional<FixItHint> FixIt;
  if (Problem.FixIt) {
    Fragment Range = Problem.FixIt->Range;
    SourceLocation Begin = startOf(Range.Begin);
    if (Range.empty()) {
      // An insertion behind a token stands next to it, not before the next one.
      if (Problem.FixIt->AfterPrevious && Range.Begin > 0 && Range.Begin <= Locations.Tokens.size()) {
        SourceLocation Previous = Locations.Tokens[Range.Begin - 1];
        if (Previous.isFileID())
          Begin = Lexer::getLocForEndOfToken(Previous, 0, Sources, *Options);
      }
      if (Begin.isFileID())
        FixIt = FixItHint::CreateInsertion(Begin, Problem.FixIt->Text);
    } else {
      SourceLocation Last = startOf(Range.End - 1);
      // Text that a macro made cannot be edited here.
      if (Begin.isFileID() && Last.isFileID())
        FixIt = FixItHint::CreateReplacement(CharSourceRange::getTokenRange(Begin, Last), Problem.FixIt->Text);
    }
  }

  SourceLocation Loc = startOf(Problem.Token);
  if (Problem.Offset > 0 && Loc.isFileID())
    Loc = Loc.getLocWithOffset(static_cast<int>(Problem.Offset));
  report(static_cast<Diag>(Problem.Number), Loc, Problem.Arguments, FixIt);
}

} // namespace streamap
