//===- HostPlan.cpp - Which text changes where ----------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/HostPlan.h"
#include "emit/EmitTask.h"
#include "frontend/ParameterList.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace streamap {

namespace {

class Planner {
public:
  Planner(const PlannedUnit &Unit, const PreprocessorRecord &Record, Preprocessor &PP, const PlanOptions &Plan, Reporter &Report)
      : Unit(Unit), Record(Record), Sources(PP.getSourceManager()), Options(PP.getLangOpts()), Host(Plan), Report(Report) {}

  PlannedSource run() {
    fileIndex(Sources.getMainFileID());
    for (const auto &[Definition, Task] : Unit.Tasks)
      editTask(*Definition, Task);
    for (const auto &[Call, Model] : Unit.Calls)
      editCall(Call, Model);
    for (const auto &[Statement, Text] : Unit.Statements)
      editStatement(*Statement.Pragma, Text);
    inlineHeaders();
    for (const auto &Pragma : Record.Pragmas)
      removePragma(*Pragma);
    SourceFile &Main = Plan.Source.Files.front();
    add(0, {SourceEdit::Kind::Generated, Main.Text.size(), Main.Text.size(), emitUnit(Unit.Unit, Host.ToolVersion), true});
    for (size_t I = 0; I < Edits.size(); ++I)
      Plan.Source.Files[I].Edits = std::move(Edits[I]);
    Plan.Source.Prologue = {"#include <streamap/generated.h>"};
    if (Options.CPlusPlus)
      declareBases();
    return std::move(Plan);
  }

private:
  //===--- Files ----------------------------------------------------------===//

  /// The index of \p File among those written out, which it now is.
  size_t fileIndex(FileID File) {
    auto [Found, IsNew] = Index.try_emplace(File, Plan.Source.Files.size());
    if (!IsNew)
      return Found->second;
    Ids.push_back(File);
    SourceFile Source;
    Source.Text = Sources.getBufferData(File).str();
    Source.IsSystem = SrcMgr::isSystem(Sources.getFileCharacteristic(Sources.getLocForStartOfFile(File)));
    mapLines(File, Source);
    Plan.Source.Files.push_back(std::move(Source));
    Edits.emplace_back();
    return Found->second;
  }

  /// Notes where presumed lines depart from counting, which #line makes them do.
  void mapLines(FileID File, SourceFile &Source) {
    SourceLocation Start = Sources.getLocForStartOfFile(File);
    unsigned Expected = 0;
    std::string Name;
    for (size_t Offset = 0;;) {
      PresumedLoc Place = Sources.getPresumedLoc(Start.getLocWithOffset(static_cast<int>(Offset)));
      if (Source.Lines.empty() || Place.getLine() != Expected || Place.getFilename() != Name) {
        Name = Place.getFilename();
        Source.Lines.push_back({Offset, Place.getLine(), asHostNames(Name)});
      }
      Expected = Place.getLine() + 1;
      size_t End = Source.Text.find('\n', Offset);
      if (End == std::string::npos)
        return;
      Offset = End + 1;
    }
  }

  /// The name that __FILE__ has in a header included from a source without a
  /// directory in its own name.
  std::string asHostNames(const std::string &Name) const {
    llvm::StringRef Rest = Name;
    return !Host.HostIsClang && Rest.consume_front("./") && !llvm::StringRef(Unit.Unit.File).contains('/') ? Rest.str() : Name;
  }

  void add(size_t File, SourceEdit Edit) { Edits[File].push_back(std::move(Edit)); }

  void add(SourceLocation Loc, SourceEdit::Kind Kind, size_t Length, std::vector<GeneratedLine> Lines) {
    auto [File, Offset] = Sources.getDecomposedLoc(Loc);
    add(fileIndex(File), {Kind, Offset, Offset + Length, std::move(Lines)});
  }

  /// Whole declarations, outside of any function.
  void addTopLevel(SourceLocation Loc, std::vector<GeneratedLine> Lines) {
    if (Lines.empty())
      return;
    auto [File, Offset] = Sources.getDecomposedLoc(Loc);
    add(fileIndex(File), {SourceEdit::Kind::Generated, Offset, Offset, std::move(Lines), true});
  }

  /// Descriptors of other files that those of this one refer to.
  void declareBases() {
    auto declare = [&](const DescriptorPlace &Place) {
      for (std::string &Text : emitDeclaration(Place))
        if (!llvm::is_contained(Plan.Source.Prologue, Text))
          Plan.Source.Prologue.push_back(std::move(Text));
    };
    for (const auto &[Definition, Task] : Unit.Tasks)
      if (Task.Model.Implements)
        declare(*Task.Model.Implements);
    for (const auto &[Call, Model] : Unit.Calls)
      declare(Model.Base);
  }

  //===--- Tasks ----------------------------------------------------------===//

  /// Where text in front of \p Function goes: before its directive, if that
  /// stands right there.
  SourceLocation startOf(const FunctionDecl &Function) {
    const auto *Linkage = dyn_cast<LinkageSpecDecl>(Function.getLexicalDeclContext());
    SourceLocation Begin =
        Sources.getExpansionLoc(Linkage && !Linkage->hasBraces() ? Linkage->getBeginLoc() : Function.getOuterLocStart());
    for (const auto &Pragma : Record.Pragmas) {
      SourceLocation Place = Pragma->Introducer;
      if (Place.isMacroID() || Sources.getFileID(Place) != Sources.getFileID(Begin))
        continue;
      if (Sources.getExpansionLoc(Pragma->First) == Begin || Sources.getExpansionLoc(Pragma->Next) == Begin)
        return Place;
      // Attributes of the [[ ]] kind stand between the two.
      SourceLocation First = Sources.getExpansionLoc(Pragma->First);
      if (Sources.getExpansionLoc(Pragma->Next) == Begin && Sources.getFileID(First) == Sources.getFileID(Begin))
        return Place;
    }
    return Begin;
  }

  void editTask(const FunctionDecl &Definition, const BuiltTask &Task) {
    const Stmt *Body = Definition.getBody();
    if (const auto *Try = dyn_cast<CXXTryStmt>(Body))
      Body = Try->getTryBlock();
    SourceLocation Open = Body->getBeginLoc(), Close = Definition.getBody()->getEndLoc();
    // `<%` is a brace too.
    SourceLocation Behind = Lexer::getLocForEndOfToken(Open, 0, Sources, Options);
    if (Open.isMacroID() || (Close.isMacroID() && Sources.getExpansionLoc(Open) == Sources.getExpansionLoc(Close))) {
      Report.report(Diag::MadeByMacro, Definition.getLocation(), {Task.Model.Name});
      return;
    }
    editLoops(Task);
    nameParameters(Definition);
    if (Definition.isConstexpr())
      for (const FunctionDecl *Declaration : Definition.redecls())
        editConstexpr(*Declaration);
    if (Task.Model.Shape == TaskShape::Within) {
      add(Behind, SourceEdit::Kind::Generated, 0, emitWithin(Task.Model));
      if (!Definition.isCXXClassMember() && !Close.isMacroID())
        addTopLevel(Lexer::getLocForEndOfToken(Close, 0, Sources, Options), unusedParameters(Definition, Task.Model));
      return;
    }
    addTopLevel(startOf(Definition), emitBeforeTask(Task.Model));
    add(Behind, SourceEdit::Kind::Generated, 0, {{emitEntry(Task.Model)}});
    SourceLocation End = Lexer::getLocForEndOfToken(Sources.getExpansionRange(Close).getEnd(), 0, Sources, Options);
    std::vector<GeneratedLine> After = emitAfterTask(Task.Model);
    llvm::append_range(After, unusedParameters(Definition, Task.Model));
    addTopLevel(End, std::move(After));
  }

  /// What the generated code uses, the host compiler would find used.
  std::vector<GeneratedLine> unusedParameters(const FunctionDecl &Definition, const TaskModel &Model) {
    std::vector<UnusedParameter> Result;
    FileID File = Sources.getFileID(Sources.getExpansionLoc(Definition.getLocation()));
    for (const ParmVarDecl *Parameter : Definition.parameters()) {
      SourceLocation Loc = Parameter->getLocation();
      if (!Parameter->getIdentifier() || Parameter->isReferenced() || Parameter->isUsed(false) ||
          Parameter->hasAttr<UnusedAttr>() || Loc.isMacroID() || Sources.getFileID(Loc) != File)
        continue;
      PresumedLoc Place = Sources.getPresumedLoc(Loc);
      Result.push_back({Parameter->getNameAsString(), Place.getLine(), Place.getColumn()});
    }
    return emitUnused(Model.Symbol, Result);
  }

  /// What the call hands on needs a name.
  void nameParameters(const FunctionDecl &Definition) {
    for (const auto &[Last, Name] : unnamedParameters(Definition, Record.Stream)) {
      if (Last.isMacroID())
        Report.report(Diag::MadeByMacro, Definition.getLocation(), {Definition.getNameAsString()});
      else
        add(Lexer::getLocForEndOfToken(Last, 0, Sources, Options), SourceEdit::Kind::Generated, 0, {{" " + Name}});
    }
  }

  /// A function that launches is none that a constant can be computed by. What else `constexpr` means `inline` means too.
  void editConstexpr(const FunctionDecl &Declaration) {
    std::optional<size_t> Name = Record.Stream.indexOf(Declaration.getLocation());
    for (size_t At = Name.value_or(0); At > 0; --At) {
      const Token &T = Record.Stream[At - 1];
      if (T.isOneOf(tok::semi, tok::l_brace, tok::r_brace))
        return;
      if (T.isNot(tok::kw_constexpr))
        continue;
      if (T.getLocation().isMacroID())
        Report.report(Diag::MadeByMacro, Declaration.getLocation(), {Declaration.getNameAsString()});
      else
        add(T.getLocation(), SourceEdit::Kind::Generated, T.getLength(), {{"inline"}});
      return;
    }
  }

  void editLoops(const BuiltTask &Task) {
    for (size_t I = 0; I < Task.Loops.Loops.size(); ++I) {
      const SplitLoop &Loop = Task.Loops.Loops[I];
      const std::string &Type = Task.Model.Loops[I].Type;
      replace(Loop, Loop.First, emitLoopFirst(Task.Model.Loops[I], Type));
      replace(Loop, Loop.Bound, emitLoopBound(Task.Model.Loops[I], Type));
    }
    for (const OMPExecutableDirective *Directive : Task.Loops.DefaultNone)
      nameChunk(*Directive);
  }

  void replace(const SplitLoop &Loop, const Expr *E, std::string Text) {
    CharSourceRange Range = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(E->getSourceRange()), Sources, Options);
    if (Range.isInvalid()) {
      Report.report(Diag::NotCanonical, Loop.Loop->getBeginLoc(),
                    {Loop.Index->getNameAsString(), "a macro makes it, so its bounds cannot be rewritten"});
      return;
    }
    add(Range.getBegin(), SourceEdit::Kind::Generated,
        Sources.getFileOffset(Range.getEnd()) - Sources.getFileOffset(Range.getBegin()), {{std::move(Text)}});
  }

  /// `default(none)` wants our variable named too.
  void nameChunk(const OMPExecutableDirective &Directive) {
    SourceLocation End = Directive.getEndLoc();
    if (End.isMacroID()) {
      Report.report(Diag::NotCanonical, Directive.getBeginLoc(), {"i", "a macro makes its OpenMP directive with default(none)"});
      return;
    }
    add(End, SourceEdit::Kind::InPlace, 0, {{" shared(streamap_part)"}});
  }

  //===--- Calls and statements -------------------------------------------===//

  void editCall(const BoundCall &Call, const TaskModel &Model) {
    SourceLocation Name = Call.Call->getCallee()->getBeginLoc(), Last = Call.Call->getCallee()->getEndLoc();
    std::optional<Token> Paren;
    if (!Name.isMacroID() && !Last.isMacroID())
      Paren = Lexer::findNextToken(Last, Sources, Options);
    if (!Paren || Paren->isNot(tok::l_paren) || !Call.Enclosing) {
      Report.report(Diag::CallNotDirect, Call.Pragma->location(0));
      return;
    }
    SourceLocation End = Paren->getLocation().getLocWithOffset(1);
    if (Model.Shape != TaskShape::C) {
      std::vector<GeneratedLine> Lines = emitCall(Model);
      Lines.push_back({emitCallee(Model), Model.Line});
      add(Name, SourceEdit::Kind::Generated, Sources.getFileOffset(End) - Sources.getFileOffset(Name), std::move(Lines));
      return;
    }
    addTopLevel(startOf(*Call.Enclosing), emitCall(Model));
    add(Name, SourceEdit::Kind::Generated, Sources.getFileOffset(End) - Sources.getFileOffset(Name), {{emitCallee(Model)}});
  }

  void editStatement(const RecordedPragma &Pragma, const std::string &Text) {
    if (std::optional<std::pair<SourceLocation, unsigned>> Range = extentOf(Pragma)) {
      add(Range->first, SourceEdit::Kind::InPlace, Range->second, {{Text}});
      Placed.insert(&Pragma);
    } else {
      editMacroStatement(Pragma, Text);
    }
  }

  /// A macro that brings nothing but the directive makes room for the
  /// statement; one whose last part it is gets the statement behind it.
  void editMacroStatement(const RecordedPragma &Pragma, const std::string &Text) {
    CharSourceRange Use = Sources.getExpansionRange(Pragma.Introducer);
    SourceLocation Begin = Use.getBegin(), End = Lexer::getLocForEndOfToken(Use.getEnd(), 0, Sources, Options);
    bool Before = false, After = false;
    for (size_t I = 0; I < Record.Stream.size(); ++I) {
      SourceLocation Loc = Record.Stream[I].getLocation();
      if (Loc.isMacroID() && Sources.getExpansionLoc(Loc) == Begin)
        (I < Pragma.StreamPosition ? Before : After) = true;
    }
    if (After) {
      Report.report(Diag::MadeByMacro, Pragma.location(0), {Pragma.Tokens.front().Text});
      return;
    }
    unsigned Length = Sources.getFileOffset(End) - Sources.getFileOffset(Begin);
    if (Before)
      add(End, SourceEdit::Kind::Generated, 0, {{Text}});
    else
      add(Begin, SourceEdit::Kind::Generated, Length, {{Text}});
    if (!Before)
      Placed.insert(&Pragma);
  }

  //===--- Pragmas --------------------------------------------------------===//

  /// First character and length of a directive in its file; nothing if a macro
  /// made it.
  std::optional<std::pair<SourceLocation, unsigned>> extentOf(const RecordedPragma &Pragma) {
    SourceLocation Begin = Pragma.Introducer;
    if (Begin.isMacroID())
      return std::nullopt;
    SourceLocation End = Pragma.End;
    if (Pragma.IsOperator) {
      // _Pragma ( "..." ), in the file's own characters.
      std::optional<Token> T = Lexer::findNextToken(Begin, Sources, Options);
      while (T && T->isNot(tok::r_paren) && T->isNot(tok::eof))
        T = Lexer::findNextToken(T->getLocation(), Sources, Options);
      if (!T)
        return std::nullopt;
      End = T->getLocation().getLocWithOffset(1);
    }
    return std::pair(Begin, Sources.getFileOffset(End) - Sources.getFileOffset(Begin));
  }

  /// A host compiler would warn of a pragma that it does not know.
  void removePragma(const RecordedPragma &Pragma) {
    if (Placed.count(&Pragma))
      return;
    std::optional<std::pair<SourceLocation, unsigned>> Range = extentOf(Pragma);
    if (Range && Index.count(Sources.getFileID(Range->first)))
      add(Range->first, SourceEdit::Kind::Blank, Range->second, {});
    else
      Plan.DirectiveInHeader = true;
  }

  //===--- Headers --------------------------------------------------------===//

  /// A header with edits is written out where it is included, and so is every
  /// file on the way to it.
  void inlineHeaders() {
    for (size_t I = 0; I < Ids.size(); ++I) {
      if (Ids[I] == Sources.getMainFileID())
        continue;
      const RecordedInclude *Include = includeOf(Ids[I]);
      if (!Include)
        continue;
      FileID Includer = Sources.getFileID(Include->Hash);
      if (!Sources.getFileEntryForID(Includer)) { // Clang's own list of what options ask for
        Report.report(Diag::HeaderFromOption, Sources.getLocForStartOfFile(Ids[I]), {Plan.Source.Files[I].Lines.front().File});
        continue;
      }
      size_t Parent = fileIndex(Includer);
      Plan.Source.Files[Parent].Includes.push_back({Sources.getFileOffset(Include->Hash), directiveEnd(*Include), I});
      if (const FileEntry *Entry = Sources.getFileEntryForID(Ids[I]); Entry && findOnce(*Entry))
        keepOnce(I, *Entry);
    }
  }

  const RecordedInclude *includeOf(FileID File) const {
    for (const RecordedInclude &Include : Record.Includes)
      if (Include.Entered == File)
        return &Include;
    return nullptr;
  }

  /// Behind the last character of an #include: that of the file's name where it is written there (a comment may
  /// follow, and go on in the next line), else of the line.
  size_t directiveEnd(const RecordedInclude &Include) {
    auto [File, Offset] = Sources.getDecomposedLoc(Include.Hash);
    if (Include.End.isFileID() && Sources.getFileID(Include.End) == File)
      return Sources.getFileOffset(Include.End);
    llvm::StringRef Text = Sources.getBufferData(File);
    size_t End = Text.find('\n', Offset);
    while (End != llvm::StringRef::npos && Text[End - 1] == '\\')
      End = Text.find('\n', End + 1);
    return End == llvm::StringRef::npos ? Text.size() : End;
  }

  /// Offset of `#pragma once` in the file's text.
  std::optional<size_t> findOnce(const FileEntry &Entry) const {
    for (FileID File : Ids)
      if (Sources.getFileEntryForID(File) == &Entry) {
        llvm::StringRef Text = Sources.getBufferData(File);
        Lexer Raw(Sources.getLocForStartOfFile(File), Options, Text.begin(), Text.begin(), Text.end());
        Token T, Word, Once;
        for (Raw.LexFromRawLexer(T); T.isNot(tok::eof); Raw.LexFromRawLexer(T)) {
          if (T.isNot(tok::hash) || !T.isAtStartOfLine())
            continue;
          Raw.LexFromRawLexer(Word);
          Raw.LexFromRawLexer(Once);
          if (Word.is(tok::raw_identifier) && Word.getRawIdentifier() == "pragma" && Once.is(tok::raw_identifier) &&
              Once.getRawIdentifier() == "once")
            return Sources.getFileOffset(T.getLocation());
        }
      }
    return std::nullopt;
  }

  /// Text in place of an #include is not `once` for the compiler. Its own pragma goes, and later
  /// includes of it, which Clang has skipped, go too: with the files that they stand in.
  void keepOnce(size_t File, const FileEntry &Entry) {
    if (std::optional<size_t> Offset = findOnce(Entry))
      add(File, {SourceEdit::Kind::Blank, *Offset, Plan.Source.Files[File].Text.find('\n', *Offset), {}});
    if (!OnceDone.insert(&Entry).second)
      return;
    for (const RecordedInclude &Include : Record.Includes)
      if (Include.File == &Entry && Include.Entered.isInvalid()) {
        size_t Parent = fileIndex(Sources.getFileID(Include.Hash));
        add(Parent, {SourceEdit::Kind::Blank, Sources.getFileOffset(Include.Hash), directiveEnd(Include), {}});
      }
  }

  const PlannedUnit &Unit;
  const PreprocessorRecord &Record;
  SourceManager &Sources;
  const LangOptions &Options;
  const PlanOptions &Host;
  Reporter &Report;
  PlannedSource Plan;
  llvm::DenseMap<FileID, size_t> Index;
  std::vector<FileID> Ids;
  std::vector<std::vector<SourceEdit>> Edits;
  llvm::DenseSet<const RecordedPragma *> Placed;
  llvm::DenseSet<const FileEntry *> OnceDone;
};

} // namespace

PlannedSource planHostText(const PlannedUnit &Unit, const PreprocessorRecord &Record, Preprocessor &PP,
                           const PlanOptions &Options, Reporter &Report) {
  return Planner(Unit, Record, PP, Options, Report).run();
}

} // namespace streamap
