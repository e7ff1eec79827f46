//===- PragmaRecorder.cpp - Directives as the preprocessor meets them -----===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/PragmaRecorder.h"
#include "frontend/InjectedProbe.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace streamap {

namespace {

PragmaToken::Kind kindOf(const Token &T) {
  if (T.getIdentifierInfo())
    return PragmaToken::Kind::Identifier;
  switch (T.getKind()) {
  case tok::numeric_constant:
    return PragmaToken::Kind::Number;
  case tok::string_literal:
    return PragmaToken::Kind::String;
  case tok::char_constant:
    return PragmaToken::Kind::Char;
  case tok::unknown:
    return PragmaToken::Kind::Unknown;
  default:
    return PragmaToken::Kind::Punctuator;
  }
}

/// Claims the whole namespace: a misspelt directive must not pass for another
/// compiler's pragma.
class StreamapPragma : public PragmaHandler {
public:
  StreamapPragma(CompilerInstance &Instance, PreprocessorRecord &Record)
      : PragmaHandler("streamap"), Instance(Instance), Record(Record) {}

  void HandlePragma(Preprocessor &PP, PragmaIntroducer Introducer, Token &) override {
    auto Pragma = std::make_unique<RecordedPragma>();
    Pragma->Introducer = Introducer.Loc;
    Pragma->StreamPosition = Record.Stream.size();
    Pragma->IsOperator = Introducer.Kind != PIK_HashPragma;
    readTokens(PP, *Pragma);
    Pragma->Parsed = parseDirective(Pragma->Tokens);
    if (Pragma->Parsed.Result)
      injectRegions(PP, *Pragma);
    Record.Pragmas.push_back(std::move(Pragma));
  }

private:
  void readTokens(Preprocessor &PP, RecordedPragma &Pragma) {
    unsigned Depth = 0;
    std::string Previous, Word, Clause;
    for (;;) {
      Token T;
      PP.LexUnexpandedToken(T);
      expand(PP, T, Previous, Depth, Clause);
      if (T.is(tok::eod) || T.is(tok::eof)) {
        Pragma.End = T.getLocation();
        return;
      }
      std::string Text = PP.getSpelling(T);
      if (T.isOneOf(tok::l_paren, tok::l_square)) {
        if (Depth++ == 0)
          Clause = Word;
      } else if (T.isOneOf(tok::r_paren, tok::r_square) && Depth > 0) {
        if (--Depth == 0)
          Clause.clear();
      } else if (Depth == 0) {
        Word = T.getIdentifierInfo() ? Text : "";
      }
      Pragma.Tokens.push_back({kindOf(T), Text, T.hasLeadingSpace() || T.isAtStartOfLine()});
      Pragma.Locations.push_back(T.getLocation());
      Pragma.Originals.push_back(T);
      Previous = std::move(Text);
    }
  }

  /// Expands a macro of the program, unless the word belongs to the grammar
  /// there (`#define G 9.81` must not change what `2:G` means).
  static void expand(Preprocessor &PP, Token &T, const std::string &Previous, unsigned Depth, const std::string &Clause) {
    IdentifierInfo *Identifier = T.getIdentifierInfo();
    if (!Identifier || !Identifier->hasMacroDefinition() || T.isExpandDisabled() ||
        isDirectiveKeyword(PP.getSpelling(T), Previous, Depth, Clause))
      return;
    auto Copy = std::make_unique<Token[]>(1);
    Copy[0] = T;
    PP.EnterTokenStream(std::move(Copy), 1, /*DisableMacroExpansion=*/false, /*IsReinject=*/true);
    PP.Lex(T);
  }

  /// The lists of `wait on` and `discard` speak of variables in scope there, so
  /// the parser itself is given their expressions: `{ (void)(e); ... }`, made of
  /// the pragma's own tokens. The block begins at the pragma's first token,
  /// where regionsAt finds it.
  void injectRegions(Preprocessor &PP, const RecordedPragma &Pragma) {
    const Directive &D = *Pragma.Parsed.Result;
    if (D.Sections.empty() || !mayBeInFunction())
      return;
    TokenWriter Out(PP, Pragma, Record.Stream);
    Out.sign(tok::l_brace, Pragma.Locations.front());
    for (const SectionExpr &Section : D.Sections) {
      Out.evaluate(Section.Base);
      for (const SectionAxis &Axis : Section.Axes) {
        Out.evaluate(Axis.Lower);
        Out.evaluate(Axis.Length);
      }
    }
    Out.sign(tok::r_brace, Pragma.Locations.back());
    Out.enter();
  }

  /// Bodies in a class, and lambdas, are read before the parser is in them.
  bool mayBeInFunction() const {
    if (!Instance.hasSema())
      return false;
    Sema &S = Instance.getSema();
    return S.getCurFunctionDecl() || S.getCurLambda() || (S.CurContext && S.CurContext->isRecord());
  }

  CompilerInstance &Instance;
  PreprocessorRecord &Record;
};

/// Finds, for each pragma, the token behind it.
class NextTokenFinder {
public:
  NextTokenFinder(Preprocessor &PP, PreprocessorRecord &Record) : PP(PP), Record(Record) {}

  void operator()(const Token &T) {
    if (Record.Pragmas.size() == Done)
      return;
    // Another pragma in between is not what this one stands before.
    if (T.is(tok::annot_pragma_openmp)) {
      InOpenMP = true;
      return;
    }
    if (T.is(tok::annot_pragma_openmp_end)) {
      InOpenMP = false;
      return;
    }
    if (T.isAnnotation() || InOpenMP)
      return;
    for (size_t I = Done; I < Record.Pragmas.size(); ++I)
      if (Record.Pragmas[I]->First.isInvalid())
        Record.Pragmas[I]->First = T.getLocation();
    if (skipsAttribute(T))
      return;
    finish(T);
  }

private:
  bool skipsAttribute(const Token &T) {
    if (InAttribute) {
      if (T.isOneOf(tok::l_paren, tok::l_square))
        ++Depth;
      else if (T.isOneOf(tok::r_paren, tok::r_square) && --Depth == 0)
        InAttribute = false;
      return true;
    }
    if (T.isOneOf(tok::kw___attribute, tok::kw_alignas, tok::kw__Alignas, tok::kw___declspec)) {
      InAttribute = true;
      Depth = 0;
      return true;
    }
    if (T.is(tok::l_square)) { // only [[...]] begins a declaration or statement so
      InAttribute = true;
      Depth = 1;
      return true;
    }
    return T.is(tok::kw___extension__);
  }

  void finish(const Token &T) {
    const SourceManager &Sources = PP.getSourceManager();
    for (; Done < Record.Pragmas.size(); ++Done) {
      RecordedPragma &Pragma = *Record.Pragmas[Done];
      Pragma.Next = T.getLocation();
      Pragma.AtEnd = T.is(tok::eof) || Sources.getFileID(Sources.getExpansionLoc(Pragma.Introducer)) !=
                                           Sources.getFileID(Sources.getExpansionLoc(T.getLocation()));
    }
  }

  Preprocessor &PP;
  PreprocessorRecord &Record;
  size_t Done = 0;
  unsigned Depth = 0;
  bool InOpenMP = false, InAttribute = false;
};

/// Notes which files were entered from where, and whether the text now read is
/// a system header's, whose tokens need not be kept.
class FileRecorder : public PPCallbacks {
public:
  FileRecorder(PreprocessorRecord &Record, bool &InSystemHeader) : Record(Record), InSystemHeader(InSystemHeader) {}

  void LexedFileChanged(FileID File, LexedFileChangeReason Reason, SrcMgr::CharacteristicKind Kind, FileID,
                        SourceLocation) override {
    InSystemHeader = SrcMgr::isSystem(Kind);
    if (Reason == LexedFileChangeReason::EnterFile && Pending) {
      Record.Includes.back().Entered = File;
      Pending = false;
    }
  }

  void InclusionDirective(SourceLocation Hash, const Token &, StringRef, bool, CharSourceRange Name, OptionalFileEntryRef File,
                          StringRef, StringRef, const Module *, bool, SrcMgr::CharacteristicKind) override {
    RecordedInclude Include;
    Include.Hash = Hash;
    Include.File = File ? &File->getFileEntry() : nullptr;
    Include.End = Name.getEnd();
    Record.Includes.push_back(Include);
    Pending = true;
  }

  void FileSkipped(const FileEntryRef &, const Token &, SrcMgr::CharacteristicKind) override { Pending = false; }

private:
  PreprocessorRecord &Record;
  bool &InSystemHeader;
  bool Pending = false;
};

} // namespace

void startRecording(CompilerInstance &CI, PreprocessorRecord &Record) {
  Preprocessor &PP = CI.getPreprocessor();
  PP.AddPragmaHandler(new StreamapPragma(CI, Record));
  auto InSystemHeader = std::make_shared<bool>(false);
  PP.addPPCallbacks(std::make_unique<FileRecorder>(Record, *InSystemHeader));
  PP.setTokenWatcher(
      [&Record, InSystemHeader, Finder = NextTokenFinder(PP, Record), Bodies = BodyFinder(PP)](const Token &T) mutable {
        if (!*InSystemHeader)
          Record.Stream.add(T);
        Finder(T);
        Bodies(T, Record);
      });
}

} // namespace streamap
