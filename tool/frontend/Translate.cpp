//===- Translate.cpp - One annotated source to host text ------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/Translate.h"
#include "Config.h"
#include "emit/EmitTask.h"
#include "emit/Explain.h"
#include "frontend/Binding.h"
#include "frontend/BuildTask.h"
#include "frontend/CheckTask.h"
#include "frontend/CheckTaskSubscripts.h"
#include "frontend/DirectiveExpressions.h"
#include "frontend/HostPlan.h"
#include "frontend/PragmaRecorder.h"
#include "frontend/Probe.h"
#include "frontend/Regions.h"
#include "kernel/BuildKernels.h"
#include "kernel/EmitDevice.h"
#include "kernel/EmitTwins.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/Lexer.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Sema.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/Process.h"

using namespace clang;

namespace streamap {

namespace {

/// Prints what Clang says, except about the probes and the lists of wait on and
/// discard: that is kept, to be said again about the pragma.
class DirectiveDiagnostics : public DiagnosticConsumer {
public:
  explicit DirectiveDiagnostics(DiagnosticConsumer &Next) : Next(Next) {}

  void BeginSourceFile(const LangOptions &Options, const Preprocessor *PP) override { Next.BeginSourceFile(Options, PP); }
  void EndSourceFile() override { Next.EndSourceFile(); }

  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (ProbeFile.isValid() && Info.hasSourceManager() && Info.getLocation().isValid()) {
      auto [File, Offset] = Info.getSourceManager().getDecomposedExpansionLoc(Info.getLocation());
      if (File == ProbeFile) {
        llvm::SmallString<128> Text;
        Info.FormatDiagnostic(Text);
        if (Level >= DiagnosticsEngine::Error)
          Kept.push_back({Offset, std::string(Text)});
        InProbe = true;
        return;
      }
    }
    if (Level >= DiagnosticsEngine::Error && Record && isInDirective(Info)) {
      llvm::SmallString<128> Text;
      Info.FormatDiagnostic(Text);
      KeptOfRegions.push_back({Info.getLocation(), std::string(Text)});
      InProbe = true;
      return;
    }
    // A note belongs to the error before it.
    if (Level == DiagnosticsEngine::Note && InProbe)
      return;
    InProbe = false;
    // Numbered diagnostics have no place in Clang's own table.
    ErrorsOfLanguage += Level >= DiagnosticsEngine::Error && Info.getID() < diag::DIAG_UPPER_LIMIT;
    Next.HandleDiagnostic(Level, Info);
  }

  unsigned ErrorsOfLanguage = 0;
  FileID ProbeFile;
  std::vector<std::pair<size_t, std::string>> Kept;
  const PreprocessorRecord *Record = nullptr; ///< from the start of the parse to its end
  std::vector<std::pair<SourceLocation, std::string>> KeptOfRegions;

private:
  bool isInDirective(const Diagnostic &Info) const {
    if (!Info.hasSourceManager() || Info.getLocation().isInvalid() || Record->Pragmas.empty())
      return false;
    // The parser is never behind the list that it was given last.
    const RecordedPragma &Last = *Record->Pragmas.back();
    return llvm::is_contained(Last.Locations, Info.getLocation());
  }

  DiagnosticConsumer &Next;
  bool InProbe = false;
};

/// Parses one source, then everything that follows from its directives.
class TranslateAction : public ASTFrontendAction {
public:
  TranslateAction(const TranslateRequest &Request, DirectiveDiagnostics &Diagnostics, Translation &Result)
      : Request(Request), Diagnostics(Diagnostics), Result(Result) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, StringRef) override {
    return std::make_unique<ASTConsumer>();
  }

  bool BeginSourceFileAction(CompilerInstance &CI) override {
    Record = std::make_unique<PreprocessorRecord>(CI.getPreprocessor());
    startRecording(CI, *Record);
    Diagnostics.Record = Record.get();
    // The messages are kept, so nothing is to print their number.
    CI.getDiagnosticOpts().ShowCarets = false;
    return true;
  }

  void ExecuteAction() override {
    CompilerInstance &CI = getCompilerInstance();
    CI.createSema(getTranslationUnitKind(), nullptr);
    Sema &S = CI.getSema();
    Preprocessor &PP = CI.getPreprocessor();
    Parser TheParser(PP, S, /*SkipFunctionBodies=*/false);
    PP.EnterMainSourceFile();
    // The probes come behind the end of the source. Clang's incremental mode is made for that, but in C it leaves the names of
    // parameters in scope; so the parser is never shown the end, and the unit is ended below.
    TheParser.Initialize();
    EnterExpressionEvaluationContext Potentially(S, Sema::ExpressionEvaluationContext::PotentiallyEvaluated);
    parseToEnd(TheParser, /*First=*/true);
    Result.HasDirective = !Record->Pragmas.empty();
    const SourceManager &Sources = CI.getSourceManager();
    for (const std::unique_ptr<RecordedPragma> &Pragma : Record->Pragmas)
      Result.DirectiveLines.push_back(Pragma->IsOperator ? 0 : Sources.getPresumedLineNumber(Pragma->Introducer));
    if (Result.HasDirective)
      translate(CI, TheParser);
    else
      Result.Succeeded = !CI.getDiagnostics().hasErrorOccurred();
    S.ActOnEndOfTranslationUnit();
  }

private:
  void parseToEnd(Parser &TheParser, bool First) {
    Parser::DeclGroupPtrTy Group;
    Sema::ModuleImportState Import = Sema::ModuleImportState::NotACXX20Module;
    auto AtEnd = [&] { return TheParser.getCurToken().is(tok::eof); };
    if (First && !AtEnd())
      TheParser.ParseFirstTopLevelDecl(Group, Import);
    while (!AtEnd())
      TheParser.ParseTopLevelDecl(Group, Import);
  }

  void translate(CompilerInstance &CI, Parser &TheParser) {
    ASTContext &Context = CI.getASTContext();
    Reporter Report(CI.getDiagnostics(), &CI.getLangOpts());
    Diagnostics.Record = nullptr;
    for (const auto &[Loc, Text] : Diagnostics.KeptOfRegions)
      Report.report(Diag::BadExpression, Loc, {Text});
    Bindings Bound = bindDirectives(Context, *Record, Report);
    // Half-parsed declarations would only give more errors of the same cause.
    if (CI.getDiagnostics().hasUncompilableErrorOccurred() && Report.errorCount() == 0)
      return;
    prepareProbes(Bound);
    parseProbes(CI, TheParser, Report);
    if (CI.getDiagnostics().hasErrorOccurred() && Report.errorCount() == 0)
      return;
    checkBodies(Bound, Report);
    buildModels(Bound, Context, Report);
    if (Report.errorCount() != 0)
      return;
    PlannedSource Plan = planHostText(Unit, *Record, CI.getPreprocessor(), {ToolVersion, Request.HostIsClang}, Report);
    Plan.Source.Style = Request.Pedantic ? MarkerStyle::Standard : MarkerStyle::GNU;
    if (Report.errorCount() != 0)
      return;
    if (!Result.Device.empty())
      Plan.Source.Prologue.push_back(NoUnitImages);
    Result.HostText = printHostSource(Plan.Source);
    Plan.Source.EveryLineMarked = false;
    Result.ReadableText = printHostSource(Plan.Source);
    Result.DirectiveInHeader = Plan.DirectiveInHeader;
    if (Request.Explain)
      explain();
    Result.Succeeded = true;
  }

  //===--- Probes ---------------------------------------------------------===//

  /// The declaration whose parameter names an annotated call's clauses use.
  static const FunctionDecl *visibleAt(const BoundCall &Call, const BoundTask &Task) {
    const SourceManager &Sources = Call.Callee->getASTContext().getSourceManager();
    auto isBefore = [&](const FunctionDecl *F) {
      return Sources.isBeforeInTranslationUnit(F->getLocation(), Call.Call->getBeginLoc());
    };
    if (namesItsParameters(*Task.Annotated) && isBefore(Task.Annotated))
      return Task.Annotated;
    for (const FunctionDecl *Declaration : Call.Callee->redecls())
      if (namesItsParameters(*Declaration) && isBefore(Declaration))
        return Declaration;
    return Call.Callee;
  }

  void prepareProbes(const Bindings &Bound) {
    for (const auto &[Canonical, Task] : Bound.Tasks) {
      TaskProbes[Canonical] = Probes.size();
      const Directive &D = *Task.Pragma->Parsed.Result;
      Probes.emplace_back(*Task.Pragma, parameterListText(*Task.Annotated, Record->Stream).value_or(""), splitVariableOf(D));
      addFragments(D, Probes.back());
    }
    for (const BoundCall &Call : Bound.Calls) {
      const BoundTask &Task = Bound.Tasks.find(Call.Callee->getCanonicalDecl())->second;
      const FunctionDecl *Words = visibleAt(Call, Task);
      CallWords.push_back(Words);
      Captured.push_back(capturedVariables(Call, *Words));
      std::string Parameters = parameterListText(*Words, Record->Stream).value_or("");
      for (const VarDecl *Variable : Captured.back())
        Parameters += (Parameters.empty() ? "" : ", ") + declaredParameter(*Variable, Variable->getNameAsString());
      const Directive &D = *Call.Pragma->Parsed.Result;
      Probes.emplace_back(*Call.Pragma, Parameters, splitVariableOf(*Task.Pragma->Parsed.Result));
      addFragments(D, Probes.back());
    }
  }

  /// Puts the tokens of \p File next. A file cannot be entered while the
  /// preprocessor repeats tokens that the parser has looked at, which it does
  /// from the first `omp declare simd` on. All macros have been expanded.
  static void enterTokens(Preprocessor &PP, FileID File) {
    const SourceManager &Sources = PP.getSourceManager();
    Lexer Raw(File, Sources.getBufferOrFake(File), Sources, PP.getLangOpts());
    std::vector<Token> Tokens;
    do {
      Token &T = Tokens.emplace_back();
      Raw.LexFromRawLexer(T);
      if (T.is(tok::raw_identifier))
        PP.LookUpIdentifierInfo(T);
    } while (Tokens.back().isNot(tok::eof));
    auto Copy = std::make_unique<Token[]>(Tokens.size());
    llvm::copy(Tokens, Copy.get());
    PP.EnterTokenStream(std::move(Copy), Tokens.size(), /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
  }

  void parseProbes(CompilerInstance &CI, Parser &TheParser, Reporter &Report) {
    ProbeBuffer Buffer(Probes);
    SourceManager &Sources = CI.getSourceManager();
    FileID File = Sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(Buffer.text(), "<clauses>"));
    Diagnostics.ProbeFile = File;
    enterTokens(CI.getPreprocessor(), File);
    TheParser.ConsumeAnyToken(); // the end of the source
    parseToEnd(TheParser, /*First=*/false);
    Diagnostics.ProbeFile = FileID();
    for (const auto &[Offset, Text] : Diagnostics.Kept)
      Report.report(Diag::BadExpression, Buffer.original(Offset), {Text});
    Buffer.collect(CI.getASTContext());
  }

  //===--- Checks and models ----------------------------------------------===//

  void checkBodies(const Bindings &Bound, Reporter &Report) {
    for (const auto &[Canonical, Task] : Bound.Tasks) {
      const FunctionDecl *Definition = Canonical->getDefinition();
      checkTask(Definition ? *Definition : *Task.Annotated, Bound.Callable, Report);
    }
    for (const FunctionDecl *Function : Bound.CallableDefinitions)
      checkCallable(*Function, Bound.Callable, Report);
    llvm::MapVector<const FunctionDecl *, std::vector<PlacedDirective>> Places;
    for (const BoundStatement &Statement : Bound.Statements)
      Places[Statement.Enclosing].push_back(
          {directiveName(Statement.Pragma->Parsed.Result->Kind), Statement.Pragma->location(0), Statement.Pragma->Next});
    for (const auto &[Function, Directives] : Places)
      checkDirectivePlaces(*Function->getBody(), Directives, Report);
  }

  void buildModels(const Bindings &Bound, ASTContext &Context, Reporter &Report) {
    Unit.Unit.File = Request.Source;
    DeviceSlice Slice(Context, Record->Stream);
    for (const auto &[Canonical, Task] : Bound.Tasks) {
      TaskSources From;
      From.Task = &Task;
      From.TaskProbe = &Probes[TaskProbes[Canonical]];
      const FunctionDecl *Definition = Canonical->getDefinition();
      From.Function = Definition ? Definition : Task.Annotated;
      BuiltTask Built = buildTask(From, Bound, Record->Stream, Report);
      placeDefinition(Built.Model, *From.Function, *Task.Pragma, Context.getSourceManager());
      if (Definition) {
        checkSubscripts(*Definition, knownSections(Built.Model, *Definition), Report);
        Unit.Unit.Tasks.push_back(descriptorName(Built.Model));
        if (Report.errorCount() == 0)
          Built.Model.G = buildKernels(*Definition, Built, Task.Pragma->location(0), Record->Stream, Slice, Report);
        Unit.Tasks.push_back({Definition, std::move(Built)});
      } else if (Canonical->isReferenced() && Built.Model.Linkage != TaskLinkage::Internal) {
        Unit.Unit.Used.push_back(Built.Model.Symbol);
      }
    }
    for (size_t I = 0; I < Bound.Calls.size(); ++I)
      buildCall(Bound, I, Report);
    for (const BoundStatement &Statement : Bound.Statements)
      Unit.Statements.push_back({Statement, statementText(Statement, Context, Report)});
    std::vector<const GVersion *> Versions;
    for (const auto &[Definition, Task] : Unit.Tasks)
      if (Task.Model.G.exists())
        Versions.push_back(&Task.Model.G);
    Result.Device = emitDeviceSource(Versions, Slice);
  }

  /// A directive in another file has a line number that means nothing here.
  static void placeDefinition(TaskModel &Model, const FunctionDecl &Function, const RecordedPragma &Pragma,
                              const SourceManager &Sources) {
    SourceLocation Directive = Sources.getExpansionLoc(Pragma.Introducer),
                   Place = Sources.getExpansionLoc(Function.getLocation());
    if (Sources.getFileID(Directive) != Sources.getFileID(Place))
      Model.Line = Sources.getPresumedLoc(Place).getLine();
  }

  void buildCall(const Bindings &Bound, size_t Index, Reporter &Report) {
    const BoundCall &Call = Bound.Calls[Index];
    const FunctionDecl *Canonical = Call.Callee->getCanonicalDecl();
    TaskSources From;
    From.Task = &Bound.Tasks.find(Canonical)->second;
    From.TaskProbe = &Probes[TaskProbes[Canonical]];
    From.Function = CallWords[Index];
    From.Call = &Call;
    From.CallProbe = &Probes[Bound.Tasks.size() + Index];
    From.Captured = Captured[Index];
    for (const auto &[Definition, Task] : Unit.Tasks)
      if (Definition->getCanonicalDecl() == Canonical)
        From.Base = &Task;
    BuiltTask Built = buildTask(From, Bound, Record->Stream, Report);
    Built.Model.Id += "_call_" + std::to_string(Index + 1);
    Unit.Unit.Tasks.push_back(descriptorName(Built.Model));
    Unit.Calls.push_back({Call, std::move(Built.Model)});
  }

  void explain() {
    for (const auto &[Definition, Built] : Unit.Tasks)
      Result.Explanation += explainTask(Built.Model);
    for (const auto &[Call, Model] : Unit.Calls)
      Result.Explanation += explainTask(Model);
  }

  const TranslateRequest &Request;
  DirectiveDiagnostics &Diagnostics;
  Translation &Result;
  std::unique_ptr<PreprocessorRecord> Record;
  std::vector<Probe> Probes; ///< of the tasks, in their order, then of the calls
  llvm::DenseMap<const FunctionDecl *, size_t> TaskProbes;
  std::vector<const FunctionDecl *> CallWords;
  std::vector<std::vector<const VarDecl *>> Captured;
  PlannedUnit Unit;
};

} // namespace

llvm::Expected<Translation> translate(const TranslateRequest &Request) {
  Translation Result;
  auto Options = llvm::makeIntrusiveRefCnt<DiagnosticOptions>();
  Options->ShowColors = llvm::sys::Process::StandardErrHasColors();
  llvm::raw_string_ostream Messages(Result.Messages);
  TextDiagnosticPrinter Printer(Messages, Options.get());
  DirectiveDiagnostics Diagnostics(Printer);

  std::vector<std::string> Command = {Request.IsCXX ? "clang++" : "clang", "-fsyntax-only", "-Qunused-arguments"};
  Command.insert(Command.end(), Request.Arguments.begin(), Request.Arguments.end());
  // Warnings are the host compiler's, and some that are errors to Clang are none to it. -w would silence our own too.
  Command.push_back("-Wno-everything");
  Command.push_back(Request.Source);
  auto Files = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions());
  tooling::ToolInvocation Invocation(std::move(Command), std::make_unique<TranslateAction>(Request, Diagnostics, Result),
                                     Files.get());
  Invocation.setDiagnosticConsumer(&Diagnostics);
  bool Ran = Invocation.run();
  Messages.flush();
  Result.LanguageAtFault = Diagnostics.ErrorsOfLanguage != 0;
  if (!Ran && Diagnostics.getNumErrors() == 0)
    return llvm::createStringError("the arguments make no compilation of '" + Request.Source + "'");
  return Result;
}

} // namespace streamap
