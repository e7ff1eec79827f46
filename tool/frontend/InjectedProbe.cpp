//===- InjectedProbe.cpp - Clause expressions within a body ---------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/InjectedProbe.h"
#include "frontend/DirectiveExpressions.h"
#include "frontend/PragmaRecorder.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace streamap {

//===--- Tokens -----------------------------------------------------------===//

void TokenWriter::sign(tok::TokenKind Kind, SourceLocation Loc) {
  Token T;
  T.startToken();
  T.setKind(Kind);
  T.setLocation(Loc);
  T.setLength(0);
  Out.push_back(T);
}

void TokenWriter::word(const char *Name, SourceLocation Loc) {
  sign(tok::identifier, Loc);
  IdentifierInfo *Identifier = PP.getIdentifierInfo(Name);
  Out.back().setIdentifierInfo(Identifier);
  Out.back().setKind(Identifier->getTokenID());
}

void TokenWriter::number(const char *Digits, SourceLocation Loc) {
  Token T;
  T.startToken();
  T.setKind(tok::numeric_constant);
  PP.CreateString(Digits, T, Loc, Loc);
  T.setLocation(Loc);
  T.setLiteralData(Digits);
  Out.push_back(T);
}

void TokenWriter::own(unsigned Token) {
  Out.push_back(Pragma.Originals[Token]);
  Stream.add(Out.back());
}

void TokenWriter::evaluate(Fragment F) {
  if (F.empty())
    return;
  SourceLocation Loc = Pragma.Locations[F.Begin];
  sign(tok::l_paren, Loc);
  word("void", Loc);
  sign(tok::r_paren, Loc);
  sign(tok::l_paren, Loc);
  for (unsigned I = F.Begin; I < F.End; ++I)
    own(I);
  sign(tok::r_paren, Pragma.Locations[F.End - 1]);
  sign(tok::semi, Pragma.Locations[F.End - 1]);
}

void TokenWriter::enter() {
  auto Copy = std::make_unique<Token[]>(Out.size());
  std::copy(Out.begin(), Out.end(), Copy.get());
  PP.EnterTokenStream(std::move(Copy), Out.size(), /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
}

//===--- The brace --------------------------------------------------------===//

/// Whether \p T belongs to a requires-expression, whose braces open no body.
/// What is in front tells it from a requires-clause.
bool BodyFinder::skipsRequirement(const Token &T) {
  tok::TokenKind Before = std::exchange(Previous, T.getKind());
  switch (State) {
  case Requires::Body:
  case Requires::Parameters:
    if (T.isOneOf(tok::l_paren, tok::l_brace))
      ++RequiresDepth;
    else if (T.isOneOf(tok::r_paren, tok::r_brace) && --RequiresDepth == 0)
      State = State == Requires::Body ? Requires::None : Requires::Expression;
    return true;
  case Requires::Expression:
    State = Requires::None;
    if (T.isNot(tok::l_paren) && T.isNot(tok::l_brace))
      return false;
    State = T.is(tok::l_paren) ? Requires::Parameters : Requires::Body;
    RequiresDepth = 1;
    return true;
  case Requires::None:
    if (T.isNot(tok::kw_requires))
      return false;
    if (llvm::is_contained({tok::kw_requires, tok::ampamp, tok::pipepipe, tok::exclaim, tok::l_paren}, Before))
      State = Requires::Expression;
    return true;
  }
  llvm_unreachable("unknown state");
}

bool BodyFinder::opensBody(const Token &T) {
  if (skipsRequirement(T))
    return false;
  if (T.isOneOf(tok::l_paren, tok::l_square)) {
    ++Depth;
  } else if (T.isOneOf(tok::r_paren, tok::r_square)) {
    if (--Depth == 0)
      AfterParameters = true;
    if (Depth < 0)
      Current = nullptr; // the directive stood within something
  } else if (Depth == 0 && T.isOneOf(tok::semi, tok::eof, tok::r_brace)) {
    Current = nullptr;
  } else if (Depth == 0 && T.is(tok::l_brace)) {
    if (AfterParameters)
      return true;
    Current = nullptr;
  }
  return false;
}

/// Whether \p T begins what has braces and is no function.
static bool beginsOther(const Token &T) {
  return T.isOneOf(tok::kw_if, tok::kw_for, tok::kw_while, tok::kw_switch, tok::kw_do, tok::kw_try, tok::kw_struct, tok::kw_class,
                   tok::kw_union, tok::kw_enum, tok::kw_namespace);
}

void BodyFinder::operator()(const Token &T, PreprocessorRecord &Record) {
  if (!PP.getLangOpts().CPlusPlus)
    return;
  for (; Looked < Record.Pragmas.size(); ++Looked) {
    RecordedPragma &Pragma = *Record.Pragmas[Looked];
    if (Pragma.Parsed.Result && Pragma.Parsed.Result->Kind == DirectiveKind::Resource) {
      Current = &Pragma;
      Depth = 0;
      AfterParameters = false;
      State = Requires::None;
      Previous = tok::unknown;
    }
  }
  // Attributes in front are no part of what is looked at.
  if (!Current || T.isAnnotation() || Current->Next.isInvalid())
    return;
  if (T.getLocation() == Current->Next && beginsOther(T))
    Current = nullptr;
  if (Current && opensBody(T))
    inject(*std::exchange(Current, nullptr), T.getLocation(), Record.Stream);
}

void BodyFinder::inject(RecordedPragma &Pragma, SourceLocation Brace, TokenStream &Stream) {
  const Directive &D = *Pragma.Parsed.Result;
  std::optional<unsigned> Split;
  for (const Clause &C : D.Clauses)
    if (C.Kind == ClauseKind::Split)
      Split = C.NameToken + 2; // behind the parenthesis
  TokenWriter Out(PP, Pragma, Stream);
  SourceLocation Start = Pragma.Locations.empty() ? Brace : Pragma.Locations.front();
  Out.word("if", Start);
  Out.sign(tok::l_paren, Start);
  Out.number("0", Start);
  Out.sign(tok::r_paren, Start);
  Out.sign(tok::l_brace, Start);
  forEachExpression(D, [&](Fragment F, bool InSplit) {
    if (F.empty())
      return;
    SourceLocation Loc = Pragma.Locations[F.Begin];
    Out.sign(tok::l_brace, Loc);
    if (InSplit && Split) {
      for (const char *Word : {"const", "long", "long"})
        Out.word(Word, Loc);
      Out.own(*Split);
      Out.sign(tok::equal, Loc);
      Out.number("0", Loc);
      Out.sign(tok::semi, Loc);
    }
    Out.evaluate(F);
    Out.sign(tok::r_brace, Loc);
  });
  Out.sign(tok::r_brace, Start);
  Out.enter();
  Pragma.InBody = true;
}

//===--- Back from the tree -----------------------------------------------===//

const CompoundStmt *takeProbe(FunctionDecl &Function, const RecordedPragma &Pragma) {
  Stmt *Body = Function.getBody();
  if (auto *Try = dyn_cast_or_null<CXXTryStmt>(Body))
    Body = Try->getTryBlock();
  auto *Block = dyn_cast_or_null<CompoundStmt>(Body);
  if (!Block || Block->body_empty() || Pragma.Locations.empty())
    return nullptr;
  auto *If = dyn_cast<IfStmt>(*Block->body_begin());
  if (!If || If->getBeginLoc() != Pragma.Locations.front())
    return nullptr;
  *Block->body_begin() = new (Function.getASTContext()) NullStmt(Block->getLBracLoc());
  return dyn_cast<CompoundStmt>(If->getThen());
}

} // namespace streamap
