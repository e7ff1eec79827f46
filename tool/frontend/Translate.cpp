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
#include "frontend/BuildProgram.h"
#include "frontend/BuildTask.h"
#include "frontend/CheckTask.h"
#include "frontend/CheckTaskSubscripts.h"
#include "frontend/CheckTries.h"
#include "frontend/DirectiveExpressions.h"
#include "frontend/FunctionNames.h"
#include "frontend/HostPlan.h"
#include "frontend/InjectedProbe.h"
#include "frontend/Instantiations.h"
#include "frontend/ParameterList.h"
#include "frontend/Passing.h"
#include "frontend/PragmaRecorder.h"
#include "frontend/Probe.h"
#include "frontend/Regions.h"
#include "kernel/BuildKernels.h"
#include "kernel/EmitDevice.h"
#include "kernel/EmitTwins.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
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
  DirectiveDiagnostics(DiagnosticConsumer &Next, DiagnosticConsumer &OfLanguage) : Next(Next), OfLanguage(OfLanguage) {}

  void BeginSourceFile(const LangOptions &Options, const Preprocessor *PP) override {
    Next.BeginSourceFile(Options, PP);
    OfLanguage.BeginSourceFile(Options, PP);
  }
  void EndSourceFile() override {
    Next.EndSourceFile();
    OfLanguage.EndSourceFile();
  }

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
    if (Level != DiagnosticsEngine::Note)
      IsOfLanguage = Level >= DiagnosticsEngine::Error && Info.getID() < diag::DIAG_UPPER_LIMIT;
    if (IsOfLanguage && Level != DiagnosticsEngine::Note)
      ErrorsOfLanguage.push_back({Info.getLocation(), Level == DiagnosticsEngine::Fatal});
    (IsOfLanguage ? OfLanguage : Next).HandleDiagnostic(Level, Info);
  }

  /// An error that is not about directives.
  struct LanguageError {
    SourceLocation Where;
    bool IsFatal = false;
  };
  std::vector<LanguageError> ErrorsOfLanguage;
  FileID ProbeFile;
  std::vector<std::pair<size_t, std::string>> Kept;
  const PreprocessorRecord *Record = nullptr; ///< from the start of the parse to its end
  std::vector<std::pair<SourceLocation, std::string>> KeptOfRegions;

private:
  bool isInDirective(const Diagnostic &Info) const {
    if (!Info.hasSourceManager() || Info.getLocation().isInvalid() || Record->Pragmas.empty())
      return false;
    return llvm::any_of(Record->Pragmas, [&](const std::unique_ptr<RecordedPragma> &Pragma) {
      return llvm::is_contained(Pragma->Locations, Info.getLocation());
    });
  }

  DiagnosticConsumer &Next, &OfLanguage;
  bool InProbe = false, IsOfLanguage = false;
};

/// Wants no tree of what the system's functions do: they are taken at their
/// word, and they are most of the text.
class UserCodeConsumer : public ASTConsumer {
public:
  bool shouldSkipFunctionBody(Decl *D) override {
    return D->getASTContext().getSourceManager().isInSystemHeader(D->getLocation());
  }
};

/// Parses one source, then everything that follows from its directives.
class TranslateAction : public ASTFrontendAction {
public:
  TranslateAction(const TranslateRequest &Request, DirectiveDiagnostics &Diagnostics, Translation &Result)
      : Request(Request), Diagnostics(Diagnostics), Result(Result) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, StringRef) override {
    return std::make_unique<UserCodeConsumer>();
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
    Parser TheParser(PP, S, /*SkipFunctionBodies=*/true);
    PP.EnterMainSourceFile();
    // The probes come behind the end of the source. Clang's incremental mode is made for that, but in C it leaves the names of
    // parameters in scope; so the parser is never shown the end, and the unit is ended below.
    TheParser.Initialize();
    EnterExpressionEvaluationContext Potentially(S, Sema::ExpressionEvaluationContext::PotentiallyEvaluated);
    parseToEnd(TheParser, /*First=*/true);
    // What is only instantiated at the end is looked at like everything else.
    if (!Record->Pragmas.empty())
      S.PerformPendingInstantiations();
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
  /// A task as one function: itself, or one instantiation of it.
  struct TaskView {
    const FunctionDecl *Function = nullptr;
    size_t Probe = 0; ///< index into Probes
  };

  /// Whether all that Clang finds wrong lies in the bodies of functions that are
  /// no tasks. The host compiler has the last word there: it lets pass some of
  /// what Clang does not, in OpenMP above all.
  bool leavesTasksAlone(const Bindings &Bound, const SourceManager &Sources) const {
    return llvm::all_of(Diagnostics.ErrorsOfLanguage, [&](const DirectiveDiagnostics::LanguageError &Error) {
      if (Error.IsFatal || Error.Where.isInvalid())
        return false;
      const FunctionDecl *Function = Bound.enclosing(Error.Where, Sources);
      if (!Function || Bound.Tasks.count(taskKey(*Function)))
        return false;
      // A list whose statement Clang has dropped is not known.
      return llvm::none_of(Bound.Statements, [&](const BoundStatement &Statement) {
        return Statement.Enclosing == Function && !Statement.Regions &&
               Statement.Pragma->Parsed.Result->Kind != DirectiveKind::Wait;
      });
    });
  }

  /// Gives what was declared.
  std::vector<Decl *> parseToEnd(Parser &TheParser, bool First) {
    std::vector<Decl *> Declared;
    Parser::DeclGroupPtrTy Group;
    Sema::ModuleImportState Import = Sema::ModuleImportState::NotACXX20Module;
    auto AtEnd = [&] { return TheParser.getCurToken().is(tok::eof); };
    if (First && !AtEnd())
      TheParser.ParseFirstTopLevelDecl(Group, Import);
    while (!AtEnd()) {
      TheParser.ParseTopLevelDecl(Group, Import);
      if (!First && Group)
        llvm::append_range(Declared, Group.get());
    }
    return Declared;
  }

  void translate(CompilerInstance &CI, Parser &TheParser) {
    ASTContext &Context = CI.getASTContext();
    Reporter Report(CI.getDiagnostics(), &CI.getLangOpts());
    Diagnostics.Record = nullptr;
    Bindings Bound = bindDirectives(Context, *Record, Report);
    // A directive at a wrong place is one mistake, whatever else follows from it.
    if (Report.errorCount() == 0 || !CI.getLangOpts().CPlusPlus)
      for (const auto &[Loc, Text] : Diagnostics.KeptOfRegions)
        Report.report(Diag::BadExpression, Loc, {Text});
    // Half-parsed declarations would only give more errors of the same cause.
    if (!leavesTasksAlone(Bound, Context.getSourceManager())) {
      Result.LanguageAtFault = true;
      if (Report.errorCount() == 0)
        return;
    }
    prepareProbes(Bound);
    parseProbes(CI, TheParser, Report);
    if (Result.LanguageAtFault && Report.errorCount() == 0)
      return;
    checkBodies(Bound, Context, Report);
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
    if (Call.Callee->getTemplateInstantiationPattern())
      return Call.Callee; // with the words of the template and its own types
    if (namesItsParameters(*Task.Annotated) && isBefore(Task.Annotated))
      return Task.Annotated;
    for (const FunctionDecl *Declaration : Call.Callee->redecls())
      if (namesItsParameters(*Declaration) && isBefore(Declaration))
        return Declaration;
    return Call.Callee;
  }

  /// The types of parameters are looked into, whether or not the program needs to.
  void completeTypes(const FunctionDecl &Function) {
    Sema &S = getCompilerInstance().getSema();
    if (!S.getLangOpts().CPlusPlus || Function.isDependentContext())
      return;
    for (const ParmVarDecl *Parameter : Function.parameters()) {
      QualType Type = Parameter->getType().getNonReferenceType();
      S.isCompleteType(Parameter->getLocation(), Type);
      if (QualType Elements = elementsOf(Parameter->getType()); !Elements.isNull() && !Elements->isFunctionType())
        S.isCompleteType(Parameter->getLocation(), S.Context.getBaseElementType(Elements));
    }
  }

  void addViews(const BoundTask &Task) {
    const RecordedPragma &Pragma = *Task.Pragma;
    const FunctionDecl *Definition = Task.Annotated->getDefinition();
    auto add = [&](const FunctionDecl &Function, Probe P) {
      completeTypes(Function);
      Views[&Task].push_back({&Function, Probes.size()});
      Probes.push_back(std::move(P));
    };
    bool IsPart = Task.Annotated->isCXXClassMember() || isPattern(*Task.Annotated);
    if (!Pragma.InBody && IsPart)
      return; // a declaration alone, whose words mean something only in its class
    if (!Pragma.InBody) {
      add(Definition ? *Definition : *Task.Annotated,
          Probe(Pragma, parameterListText(*Task.Annotated, Record->Stream).value_or(""), splitVariableOf(*Pragma.Parsed.Result),
                namespacesOf(*Task.Annotated)));
      addFragments(*Pragma.Parsed.Result, Probes.back());
      return;
    }
    FunctionDecl &Function = const_cast<FunctionDecl &>(*Task.Annotated);
    const CompoundStmt *Block = takeProbe(Function, Pragma);
    if (!isPattern(Function))
      return add(Function, Probe(Pragma, Function, Block));
    for (FunctionDecl *Instance : instantiationsOf(Function))
      add(*Instance, Probe(Pragma, *Instance, takeProbe(*Instance, Pragma)));
  }

  void prepareProbes(const Bindings &Bound) {
    if (Bound.Program) {
      ProgramProbe = Probes.size();
      Probes.emplace_back(*Bound.Program, parameterListText(*Bound.Main, Record->Stream).value_or(""), "",
                          std::vector<std::string>());
      addFragments(*Bound.Program->Parsed.Result, Probes.back());
    }
    for (const auto &[Canonical, Task] : Bound.Tasks)
      addViews(Task);
    for (const BoundCall &Call : Bound.Calls) {
      const BoundTask &Task = Bound.Tasks.find(taskKey(*Call.Callee))->second;
      const FunctionDecl *Words = visibleAt(Call, Task);
      CallWords.push_back(Words);
      Captured.push_back(capturedVariables(Call, *Words));
      std::string Parameters = calledParameterList(*Words, Record->Stream).value_or("");
      for (const VarDecl *Variable : Captured.back())
        Parameters += (Parameters.empty() ? "" : ", ") + declaredParameter(*Variable, Variable->getNameAsString());
      const Directive &D = *Call.Pragma->Parsed.Result;
      CallProbes.push_back(Probes.size());
      Probes.emplace_back(*Call.Pragma, Parameters, splitVariableOf(*Task.Pragma->Parsed.Result), namespacesOf(*Words));
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
    std::vector<Decl *> Declared = parseToEnd(TheParser, /*First=*/false);
    Diagnostics.ProbeFile = FileID();
    for (const auto &[Offset, Text] : Diagnostics.Kept)
      Report.report(Diag::BadExpression, Buffer.original(Offset), {Text});
    Buffer.collect(Declared);
  }

  //===--- Checks and models ----------------------------------------------===//

  void checkBodies(const Bindings &Bound, ASTContext &Context, Reporter &Report) {
    for (const auto &[Canonical, Task] : Bound.Tasks) {
      for (const TaskView &View : Views[&Task])
        checkTask(*View.Function, Bound.Callable, Report);
      if (Views[&Task].empty()) // a template that nobody uses here
        checkTask(*Task.Annotated, Bound.Callable, Report);
    }
    checkTries(Context, Bound, Report);
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
    Unit.Unit.IsCXX = Context.getLangOpts().CPlusPlus;
    if (Bound.Program)
      Unit.Unit.Program = buildProgram(*Bound.Program, Probes[ProgramProbe], Context, Report);
    DeviceSlice Slice(Context, Record->Stream);
    for (const auto &[Canonical, Task] : Bound.Tasks) {
      std::optional<BuiltTask> Whole;
      for (const TaskView &View : Views[&Task]) {
        if (!isTaskKind(*View.Function))
          continue;
        BuiltTask Built = buildView(View, Task, Bound, Report);
        if (Whole)
          mergeInstantiation(Whole->Model, Built.Model);
        else
          Whole = std::move(Built);
      }
      const bool IsMember = Canonical->isCXXClassMember() && !Canonical->isTemplated() && !Canonical->isInlined();
      if (IsMember && Canonical->isExternallyVisible() && (Canonical->getDefinition() || Canonical->isReferenced()))
        (Canonical->getDefinition() ? Unit.Unit.Members : Unit.Unit.UsedMembers).push_back(symbolOf(*Canonical));
      if (!Whole)
        continue;
      BuiltTask &Built = *Whole;
      const FunctionDecl *Definition = Canonical->getDefinition();
      placeDefinition(Built.Model, Definition ? *Definition : *Task.Annotated, *Task.Pragma, Context.getSourceManager());
      if (Definition) {
        if (Built.Model.Shape != TaskShape::Within)
          Unit.Unit.Tasks.push_back(Built.Model.Scope + descriptorName(Built.Model));
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
      Unit.Statements.push_back({Statement, statementText(instantiated(Statement), Context, Report)});
    std::vector<const GVersion *> Versions;
    for (const auto &[Definition, Task] : Unit.Tasks)
      if (Task.Model.G.exists())
        Versions.push_back(&Task.Model.G);
    Result.Device = emitDeviceSource(Versions, Slice);
  }

  /// The view of \p Task that \p Callee is, or any.
  const TaskView &viewFor(const BoundTask &Task, const FunctionDecl &Callee) {
    const std::vector<TaskView> &All = Views[&Task];
    for (const TaskView &View : All)
      if (View.Function->getCanonicalDecl() == Callee.getCanonicalDecl())
        return View;
    return All.front();
  }

  /// In a template types are known only in what it is instantiated into; the text is the same in all of them.
  static BoundStatement instantiated(BoundStatement Statement) {
    if (!Statement.Regions || !isPattern(*Statement.Enclosing))
      return Statement;
    struct Finder : RecursiveASTVisitor<Finder> {
      SourceLocation Wanted;
      const CompoundStmt *Found = nullptr;
      bool VisitCompoundStmt(CompoundStmt *Block) {
        if (Block->getBeginLoc() == Wanted)
          Found = Block;
        return !Found;
      }
    } F;
    F.Wanted = Statement.Regions->getBeginLoc();
    for (FunctionDecl *Instance : instantiationsOf(*Statement.Enclosing))
      if (!F.Found)
        F.TraverseStmt(Instance->getBody());
    Statement.Regions = F.Found;
    Statement.NoInstance = !F.Found;
    return Statement;
  }

  BuiltTask buildView(const TaskView &View, const BoundTask &Task, const Bindings &Bound, Reporter &Report) {
    TaskSources From;
    From.Task = &Task;
    From.TaskProbe = &Probes[View.Probe];
    From.Function = View.Function;
    BuiltTask Built = buildTask(From, Bound, Record->Stream, Report);
    if (View.Function->doesThisDeclarationHaveABody())
      checkSubscripts(*View.Function, knownSections(Built.Model, *View.Function), Report);
    return Built;
  }

  /// All instantiations have one text, so it must hold for each.
  static void mergeInstantiation(TaskModel &Into, const TaskModel &Other) {
    for (size_t I = 0; I < std::min(Into.Sections.size(), Other.Sections.size()); ++I)
      if (Into.Sections[I].Access != Other.Sections[I].Access) {
        Into.Sections[I].Access |= Other.Sections[I].Access;
        Into.Sections[I].Remark += Other.Sections[I].Remark;
      }
    for (size_t I = 0; I < Into.Parameters.size(); ++I)
      Into.Parameters[I].Access |= Other.Parameters[I].Access;
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
    const FunctionDecl *Canonical = taskKey(*Call.Callee);
    if (Views[&Bound.Tasks.find(Canonical)->second].empty()) {
      Report.report(Diag::CalledApart, Call.Pragma->location(0), {Call.Callee->getNameAsString()});
      return;
    }
    TaskSources From;
    From.Task = &Bound.Tasks.find(Canonical)->second;
    From.TaskProbe = &Probes[viewFor(*From.Task, *Call.Callee).Probe];
    From.Function = CallWords[Index];
    From.Call = &Call;
    From.CallProbe = &Probes[CallProbes[Index]];
    From.Captured = Captured[Index];
    for (const auto &[Definition, Task] : Unit.Tasks)
      if (Definition->getCanonicalDecl() == Canonical)
        From.Base = &Task;
    BuiltTask Built = buildTask(From, Bound, Record->Stream, Report);
    if (Built.Model.Shape == TaskShape::C) {
      Built.Model.Id += "_call_" + std::to_string(Index + 1);
      Unit.Unit.Tasks.push_back(descriptorName(Built.Model));
    }
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
  std::vector<Probe> Probes; ///< of the views of tasks, then of the calls
  llvm::DenseMap<const BoundTask *, std::vector<TaskView>> Views;
  size_t ProgramProbe = 0;        ///< index into Probes
  std::vector<size_t> CallProbes; ///< indices into Probes
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
  std::string TextOfLanguage;
  llvm::raw_string_ostream MessagesOfLanguage(TextOfLanguage);
  TextDiagnosticPrinter PrinterOfLanguage(MessagesOfLanguage, Options.get());
  DirectiveDiagnostics Diagnostics(Printer, PrinterOfLanguage);

  std::vector<std::string> Command = {Request.IsCXX ? "clang++" : "clang", "-fsyntax-only", "-Qunused-arguments"};
  Command.insert(Command.end(), Request.Arguments.begin(), Request.Arguments.end());
  // Warnings are the host compiler's, and some that are errors to Clang are none to it. -w would silence our own too.
  Command.insert(Command.end(), {"-Wno-everything", "-ferror-limit=0"});
  Command.push_back(Request.Source);
  auto Files = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions());
  tooling::ToolInvocation Invocation(std::move(Command), std::make_unique<TranslateAction>(Request, Diagnostics, Result),
                                     Files.get());
  Invocation.setDiagnosticConsumer(&Diagnostics);
  bool Ran = Invocation.run();
  Messages.flush();
  MessagesOfLanguage.flush();
  // Before there are directives to look at, any error is one.
  Result.LanguageAtFault |= !Result.HasDirective && !Diagnostics.ErrorsOfLanguage.empty();
  if (Result.LanguageAtFault)
    Result.Messages = TextOfLanguage + Result.Messages;
  if (!Ran && Diagnostics.getNumErrors() == 0)
    return llvm::createStringError("the arguments make no compilation of '" + Request.Source + "'");
  return Result;
}

} // namespace streamap
