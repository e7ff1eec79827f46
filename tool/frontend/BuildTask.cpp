//===- BuildTask.cpp - From a checked directive to the task model ---------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/BuildTask.h"
#include "frontend/BuildSections.h"
#include "frontend/ClauseText.h"
#include "frontend/DirectiveExpressions.h"
#include "frontend/FunctionNames.h"
#include "frontend/ParameterList.h"
#include "frontend/Passing.h"
#include "frontend/ProveWritten.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace streamap {

namespace {

/// The clauses of one directive with what the parser made of them.
struct DirectiveSource {
  const RecordedPragma *Pragma = nullptr;
  const Directive *Parsed = nullptr;
  const Probe *Probed = nullptr;
};

/// A clause that holds for the task, and whose it is.
struct ChosenClause {
  const Clause *C = nullptr;
  const DirectiveSource *From = nullptr;
};

class TaskBuilder {
public:
  TaskBuilder(const TaskSources &Origins, const Bindings &Bound, const TokenStream &Stream, Reporter &Report)
      : Origins(Origins), Function(*Origins.Function), Context(Function.getASTContext()), Bound(Bound), Stream(Stream),
        Report(Report), Writer(Context, Stream, Result.Model.Reads) {}

  BuiltTask run() {
    Own = {Origins.Task->Pragma, &*Origins.Task->Pragma->Parsed.Result, Origins.TaskProbe};
    if (Origins.Call)
      AtCall = {Origins.Call->Pragma, &*Origins.Call->Pragma->Parsed.Result, Origins.CallProbe};
    identify();
    Writer.printTypes(!isDependent() || Origins.Call);
    addParameters();
    chooseClauses();
    addItems();
    addSections();
    addSplit();
    addValues();
    return std::move(Result);
  }

private:
  const DirectiveSource &mainSource() const { return Origins.Call ? AtCall : Own; }
  SourceLocation mainLocation() const { return mainSource().Pragma->location(0); }
  static SourceLocation at(const DirectiveSource &From, Fragment F) { return From.Pragma->location(F.Begin); }

  //===--- Who it is ------------------------------------------------------===//

  void identify() {
    TaskModel &Model = Result.Model;
    Model.Name = Function.getNameAsString();
    Model.Symbol = symbolOf(Function);
    Model.Id = Model.Name;
    Model.IsCall = Origins.Call != nullptr;
    if (isCXX())
      identifyCXX(Model);
    if (Model.IsCall) {
      Model.Base = placeOf(*Origins.Call->Callee);
      if (isCXX())
        Model.Aliases = argumentAliases(*Origins.Call->Callee);
    }
    const SourceManager &Sources = Context.getSourceManager();
    PresumedLoc Place = Sources.getPresumedLoc(Sources.getExpansionLoc(mainSource().Pragma->Introducer));
    Model.Pragma = {Place.getFilename(), Place.getLine()};
    Model.Line = Model.Pragma.Line;
    Model.Linkage = linkageOf(Function);
    Model.HasLinkage = Function.getParentFunctionOrMethod() == nullptr;
    Model.Hidden = Function.getVisibility() == HiddenVisibility;
    Model.InHeader = !Sources.isInMainFile(Sources.getExpansionLoc(Function.getLocation()));
    std::optional<std::string> List = Model.IsCall ? calledParameterList(Function, Stream) : parameterListText(Function, Stream);
    if (const ParmVarDecl *Auto = isCXX() ? findAutoParameter(Function, Stream) : nullptr; Auto && !Model.IsCall)
      Report.report(Diag::AutoParameter, Auto->getLocation(), {Auto->getNameAsString(), Model.Name});
    bool MayLackNames = isCXX() && !Model.IsCall;
    if (!List || !(MayLackNames || namesItsParameters(Function)))
      Report.report(Diag::MadeByMacro, Function.getLocation(), {Model.Name});
    else
      Model.ParameterList = *List;
  }

  void identifyCXX(TaskModel &Model) {
    const FunctionDecl *Pattern = Function.getTemplateInstantiationPattern();
    const FunctionDecl &Written = Pattern ? *Pattern : Function;
    bool Within = Pattern || Function.isCXXClassMember() || Function.isInlined();
    Model.Shape = Within || Model.IsCall ? TaskShape::Within : TaskShape::CXX;
    // Within a function any name will do, and it should be the same in every file that includes the header.
    Model.Id = Model.IsCall ? "call" : Within ? "task" : Model.Symbol;
    Model.Self = Model.IsCall ? calleeText() : selfName(Written) + argumentsText(Written);
    Model.Scope = namespaceScope(Written);
    Model.Namespaces = namespacesAround(Written);
  }

  static TaskLinkage linkageOf(const FunctionDecl &Function) {
    if (!Function.isExternallyVisible())
      return TaskLinkage::Internal;
    if (Function.isInlined() && !Function.isInlineDefinitionExternallyVisible())
      return TaskLinkage::Inline;
    return Function.hasAttr<WeakAttr>() ? TaskLinkage::Weak : TaskLinkage::External;
  }

  //===--- Parameters -----------------------------------------------------===//

  void addParameters() {
    PrintingPolicy Policy = Context.getPrintingPolicy();
    for (const ParmVarDecl *Parameter : Function.parameters()) {
      ValueModel Value;
      Value.Name = parameterName(Function, Result.Model.Parameters.size());
      QualType Type = Parameter->getType().getUnqualifiedType();
      Value.Shown = Parameter->getOriginalType().getAsString(Policy);
      Value.Passed = passingOf(Type);
      Value.IsPointer = Value.Passed != Passing::Value;
      Value.IsRecord = Type->isRecordType();
      // What is pointed to may have a type that only the parameter list can say.
      Value.Field = Value.IsPointer ? "void *streamap_" + Value.Name : declared(Type, "streamap_" + Value.Name);
      Value.Declared = declared(Type, Value.Name);
      if (Result.Model.Shape == TaskShape::Within && !Result.Model.IsCall)
        Value.Element = elementText(Value);
      Result.Model.Parameters.push_back(Value);
    }
    nameParameters(Function);
    nameParameters(*Origins.Task->Annotated);
    if (Origins.TaskProbe->function())
      nameParameters(*Origins.TaskProbe->function());
    if (Origins.Call)
      addCaptured();
  }

  std::string declared(QualType Type, std::string Name) const {
    Type.getAsStringInternal(Name, Context.getPrintingPolicy());
    return Name;
  }

  /// An element of what \p Value leads to, for its type alone.
  static std::string elementText(const ValueModel &Value) {
    switch (Value.Passed) {
    case Passing::Value:
      return "";
    case Passing::Pointer:
    case Passing::Span:
      return Value.Name + "[0]";
    case Passing::Reference:
      return Value.Name;
    }
    llvm_unreachable("unknown passing");
  }

  /// Parameter k of \p Like is what the model calls parameter k.
  void nameParameters(const FunctionDecl &Like) {
    for (unsigned I = 0; I < std::min<size_t>(Like.getNumParams(), Result.Model.Parameters.size()); ++I)
      Writer.name(Like.getParamDecl(I), Result.Model.Parameters[I].Name);
  }

  void addCaptured() {
    const FunctionDecl *ProbeFunction = Origins.CallProbe->function();
    if (!ProbeFunction)
      return;
    nameParameters(*ProbeFunction);
    for (unsigned I = 0; I < Origins.Captured.size(); ++I) {
      const VarDecl &Variable = *Origins.Captured[I];
      ValueModel Value;
      Value.Name = Variable.getNameAsString();
      QualType Type = Context.getAdjustedParameterType(Variable.getType()).getUnqualifiedType();
      Value.Shown = Variable.getType().getAsString();
      Value.IsRecord = Type->isRecordType();
      Value.Declared = declaredParameter(Variable, Value.Name);
      Value.Field = declaredParameter(Variable, "streamap_" + Value.Name);
      // A task may have been given its address.
      if (!Variable.getType()->isArrayType() && Origins.Call->Enclosing && isChangedBehindItsBack(Variable))
        Value.WaitOn = Value.Name;
      Result.Model.Captured.push_back(Value);
      Writer.name(ProbeFunction->getParamDecl(Function.getNumParams() + I), Value.Name);
    }
  }

  bool isDependent() const { return Function.getTemplateInstantiationPattern() != nullptr; }

  bool isChangedBehindItsBack(const VarDecl &Variable) const;

  //===--- Which clauses hold ---------------------------------------------===//

  void chooseClauses() {
    auto replaces = [&](ClauseKind Kind) {
      return Origins.Call && llvm::any_of(AtCall.Parsed->Clauses, [Kind](const Clause &C) { return C.Kind == Kind; });
    };
    for (const Clause &C : Own.Parsed->Clauses)
      if (!replaces(C.Kind))
        Clauses.push_back({&C, &Own});
    if (!Origins.Call)
      return;
    for (const Clause &C : AtCall.Parsed->Clauses) {
      if (C.Kind == ClauseKind::Split || C.Kind == ClauseKind::Implements || C.Kind == ClauseKind::Private) {
        // These say what the body is, which a call cannot change.
        Report.report(Diag::ClauseNotAllowed, AtCall.Pragma->location(C.NameToken),
                      {clauseName(C.Kind), "resource before a call"});
        continue;
      }
      Clauses.push_back({&C, &AtCall});
    }
  }

  static const char *clauseName(ClauseKind Kind) {
    switch (Kind) {
    case ClauseKind::Split:
      return "split";
    case ClauseKind::Implements:
      return "implements";
    default:
      return "private";
    }
  }

  template <typename F> void forEachClause(ClauseKind Kind, F Do) {
    for (const ChosenClause &Chosen : Clauses)
      if (Chosen.C->Kind == Kind)
        Do(*Chosen.C, *Chosen.From);
  }

  //===--- Expressions ----------------------------------------------------===//

  /// The text of \p F, checked; nothing if it is wrong or already reported.
  std::optional<ClauseText> expression(const DirectiveSource &From, Fragment F, const std::string &What, bool MayBeReal = false) {
    ProbedExpr Probed = From.Probed->find(F);
    if (!Probed.Expression)
      return std::nullopt;
    QualType Type = Probed.Expression->getType();
    if (!(Type->isIntegerType() || (MayBeReal && Type->isRealFloatingType()))) {
      Report.report(Diag::NotInteger, at(From, F), {What, Type.getAsString()});
      return std::nullopt;
    }
    ClauseText Text = Writer.write(Probed.Expression, Probed.Split);
    if (!reportFault(Text, at(From, F), Report))
      return std::nullopt;
    return Text;
  }

  std::optional<int64_t> constant(const DirectiveSource &From, Fragment F) {
    ProbedExpr Probed = From.Probed->find(F);
    Expr::EvalResult Value;
    if (!Probed.Expression || !Probed.Expression->getType()->isIntegerType() || !Probed.Expression->EvaluateAsInt(Value, Context))
      return std::nullopt;
    return Value.Val.getInt().getExtValue();
  }

  //===--- The resource list ----------------------------------------------===//

  void addItems() {
    const DirectiveSource &From = Origins.Call && AtCall.Parsed->HasItems ? AtCall : Own;
    std::vector<ResourceItem> Items = From.Parsed->Items;
    for (ResourceItem &Item : Items)
      addItem(From, Item);
    for (const DirectiveError &Problem : checkTaskList(Items))
      Report.report(Problem, {From.Pragma->Locations, From.Pragma->End});
  }

  void addItem(const DirectiveSource &From, ResourceItem &Item) {
    ItemModel Model;
    Model.Kind = Item.Kind;
    Model.Form = Item.ItemForm;
    switch (Item.ItemForm) {
    case ResourceItem::Form::All:
      break;
    case ResourceItem::Form::Numbered:
      if (!Item.FirstValue)
        Item.FirstValue = constant(From, Item.First);
      if (!Item.LastValue)
        Item.LastValue = Item.Last.empty() ? Item.FirstValue : constant(From, Item.Last);
      break;
    case ResourceItem::Form::Constant:
    case ResourceItem::Form::Expression:
      if (!Item.FirstValue)
        Item.FirstValue = constant(From, Item.Count);
      Model.Form = Item.FirstValue ? ResourceItem::Form::Constant : ResourceItem::Form::Expression;
      if (Item.FirstValue) {
        // Another instantiation may have another value.
        if (isDependent())
          if (std::optional<ClauseText> Text = expression(From, Item.Count, "the number of tasks"))
            Model.Count = Text->Text;
        break;
      }
      if (std::optional<ClauseText> Text = expression(From, Item.Count, "the number of tasks")) {
        Model.Count = Text->Text;
        if (Item.ItemForm == ResourceItem::Form::Constant)
          reportNotConstant(From, Item.Count);
      }
      break;
    }
    Model.First = Item.FirstValue.value_or(0);
    Model.Last = Item.LastValue.value_or(Model.First);
    Result.Model.Items.push_back(Model);
  }

  void reportNotConstant(const DirectiveSource &From, Fragment Count) {
    std::string Shown;
    for (unsigned T = Count.Begin; T < Count.End; ++T)
      Shown += (T > Count.Begin && From.Pragma->Tokens[T].SpaceBefore ? " " : "") + From.Pragma->Tokens[T].Text;
    DirectiveError Problem;
    Problem.Number = static_cast<unsigned>(Diag::CountNeedsParentheses);
    Problem.Token = Count.Begin;
    Problem.Arguments = {Shown};
    Problem.FixIt = DirectiveError::Edit{Count, "(" + Shown + ")"};
    Report.report(Problem, {From.Pragma->Locations, From.Pragma->End});
  }

  //===--- Sections and the split -----------------------------------------===//

  void addSections() {
    unsigned Before = Report.errorCount();
    SectionBuilder Sections(Function, Result.Model, Writer, Report);
    for (const ChosenClause &Chosen : Clauses)
      if (Chosen.C->Kind == ClauseKind::Extent)
        Sections.addExtents({*Chosen.C, *Chosen.From->Pragma, *Chosen.From->Probed});
    for (const ChosenClause &Chosen : Clauses)
      switch (Chosen.C->Kind) {
      case ClauseKind::In:
      case ClauseKind::Out:
      case ClauseKind::InOut:
      case ClauseKind::Reduction:
        Sections.addSections({*Chosen.C, *Chosen.From->Pragma, *Chosen.From->Probed});
        break;
      default:
        break;
      }
    // A parameter whose clause is wrong is not one without a clause.
    if (Report.errorCount() == Before)
      Sections.addUnnamed(mainLocation());
    UsesTaskNumber = Sections.usesTaskNumber();
  }

  void addSplit() {
    forEachClause(ClauseKind::Split, [&](const Clause &C, const DirectiveSource &From) {
      Result.Model.SplitVariable = C.Name;
      if (!Origins.Call && Function.hasBody())
        findLoops(C, From);
    });
    checkWritten();
    if (Report.errorCount() == FirstError)
      checkSharing();
  }

  void findLoops(const Clause &C, const DirectiveSource &From) {
    SplitRules Rules;
    Rules.Variable = C.Name;
    forEachClause(ClauseKind::Private, [&](const Clause &Private, const DirectiveSource &Where) {
      for (const SectionExpr &Name : Private.Sections)
        addPrivate(Rules, Where.Pragma->Tokens[Name.Base.Begin].Text);
    });
    for (unsigned I = 0; I < Function.getNumParams(); ++I) {
      const ValueModel &Value = Result.Model.Parameters[I];
      if (Value.Access & STREAMAP_REDUCTION)
        Rules.Reductions.insert(Function.getParamDecl(I));
      if (Value.Access)
        Rules.Sections.insert(Function.getParamDecl(I));
    }
    Result.Loops = findSplitLoops(Function, Rules, From.Pragma->location(C.NameToken + 2), Report);
    for (const SplitLoop &Loop : Result.Loops.Loops)
      addLoop(Loop);
  }

  void addPrivate(SplitRules &Rules, llvm::StringRef Name);

  void addLoop(const SplitLoop &Loop) {
    SplitLoopModel Model;
    Model.Relation = Loop.Relation;
    Model.Type = indexType(Loop);
    Model.Line = Context.getSourceManager().getPresumedLineNumber(Loop.Loop->getBeginLoc());
    Model.Lower = bound(Loop, Loop.First, "first value");
    Model.Upper = bound(Loop, Loop.Bound, "bound");
    Model.Step = Loop.Step ? bound(Loop, Loop.Step, "step") : "1";
    Model.BodyLower = written(Loop.First);
    Model.BodyUpper = written(Loop.Bound);
    Model.BodyStep = Loop.Step ? written(Loop.Step) : "1";
    if (Loop.StepDown)
      for (std::string *Step : {&Model.Step, &Model.BodyStep})
        *Step = *Step == "1" ? "-1" : "-(streamap_int)(" + *Step + ")";
    Result.Model.Loops.push_back(Model);
  }

  /// The type of the index as text; in a template as the source has it.
  std::string indexType(const SplitLoop &Loop) const {
    if (isDependent() && Loop.Index->getTypeSourceInfo()) {
      if (Loop.Index->getType()->getContainedAutoType())
        return "typename streamap_bare<decltype(" + written(Loop.First) + ")>::streamap_type";
      if (auto Text = Writer.textOf(Loop.Index->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc().getSourceRange()))
        return *Text;
    }
    return declared(Loop.Index->getType().getCanonicalType().getUnqualifiedType(), "");
  }

  std::string written(const Expr *E) const {
    std::optional<std::pair<size_t, size_t>> Range = Stream.indices(E->getSourceRange());
    return Range ? Stream.text(Range->first, Range->second) : "";
  }

  /// A bound holds for the whole call only if what it is made of does.
  std::string bound(const SplitLoop &Loop, const Expr *E, const char *What) {
    ClauseText Text = Writer.write(E, nullptr);
    bool Changes = llvm::any_of(Function.parameters(), [&](const ParmVarDecl *Parameter) {
      return mentions(E, Parameter) && isChanged(Function.getBody(), Parameter);
    });
    if (Text.Fault != ClauseFault::None || Text.UsesTask || Changes)
      Report.report(Diag::BoundNotKnown, Loop.Loop->getBeginLoc() == E->getBeginLoc() ? E->getBeginLoc() : E->getExprLoc(),
                    {What});
    return Text.Text;
  }

  static bool mentions(const Expr *E, const VarDecl *Variable);

  /// `out` promises that nothing old is read, which holds only where everything
  /// is written.
  void checkWritten() {
    for (SectionModel &Section : Result.Model.Sections) {
      if (Section.Access != STREAMAP_OUT || Section.Assumed)
        continue;
      if (std::optional<std::string> Why = unwritten(Section)) {
        Section.Access = STREAMAP_INOUT;
        Section.Remark = *Why;
        Result.Model.Parameters[Section.Parameter].Access |= STREAMAP_INOUT;
      }
    }
  }

  std::optional<std::string> unwritten(const SectionModel &Section) {
    const FunctionDecl *Definition = Function.getDefinition();
    if (!Origins.Call)
      return Definition ? whyNotWritten(*Definition, Section, Result.Loops, Stream) : std::nullopt;
    if (!Definition || !Origins.Base)
      return "the body is not in sight";
    for (unsigned I = 0; I < Function.getNumParams(); ++I)
      if (Function.getParamDecl(I)->getDeclName() != Definition->getParamDecl(I)->getDeclName())
        return "the definition has other names for its parameters";
    return whyNotWritten(*Definition, Section, Origins.Base->Loops, Stream);
  }

  void checkSharing() {
    if (!Result.Model.SplitVariable.empty() || Origins.Function->getDefinition() == nullptr)
      return;
    int64_t Tasks = 0;
    std::string Shown;
    for (const ItemModel &Item : Result.Model.Items) {
      switch (Item.Form) {
      case ResourceItem::Form::Constant:
        Tasks += Item.First;
        break;
      case ResourceItem::Form::Numbered:
        Tasks = std::max(Tasks, Item.Last + 1);
        break;
      default:
        Shown = "several";
        Tasks = MaxTasks;
      }
    }
    if (Tasks > 1 && !UsesTaskNumber && !asksForTaskNumber(*Function.getDefinition()))
      Report.report(Diag::NothingToShare, mainLocation(), {Shown.empty() ? std::to_string(Tasks) : Shown, Result.Model.Name});
  }

  //===--- Clauses with one value -----------------------------------------===//

  void addValues() {
    struct Row {
      ClauseKind Kind;
      const char *Name;
      std::string &Text;
      int64_t Least, Most;
    };
    const int64_t Any = INT64_MAX;
    TaskModel &Model = Result.Model;
    Row Rows[] = {{ClauseKind::Priority, "the priority", Model.Priority, -Any, Any},
                  {ClauseKind::Cores, "the number of cores", Model.Cores, 1, INT32_MAX},
                  {ClauseKind::Memory, "the size of the memory", Model.Memory, 0, Any},
                  {ClauseKind::Share, "the share", Model.Share, 1, 100},
                  {ClauseKind::Cost, "the cost", Model.Cost, 0, Any}};
    for (Row &R : Rows)
      forEachClause(R.Kind, [&](const Clause &C, const DirectiveSource &From) {
        if (std::optional<ClauseText> Text = expression(From, C.Expression, R.Name, R.Kind == ClauseKind::Cost))
          R.Text = Text->Text;
        std::optional<int64_t> Value = constant(From, C.Expression);
        if (Value && (*Value < R.Least || *Value > R.Most))
          Report.report(
              Diag::OutOfRange, at(From, C.Expression),
              {R.Name, std::to_string(*Value), R.Most == 100 ? "between 1 and 100" : "at least " + std::to_string(R.Least)});
      });
    forEachClause(ClauseKind::Once, [&](const Clause &, const DirectiveSource &) { Model.Once = true; });
    forEachClause(ClauseKind::Require, [&](const Clause &C, const DirectiveSource &) {
      Model.Requirements.insert(Model.Requirements.end(), C.Requirements.begin(), C.Requirements.end());
    });
    if (!Origins.Call)
      forEachClause(ClauseKind::Implements, [&](const Clause &C, const DirectiveSource &From) { addImplements(C, From); });
  }

  void addImplements(const Clause &C, const DirectiveSource &From) {
    SourceLocation Loc = From.Pragma->location(C.NameToken + 2); // behind the parenthesis
    const FunctionDecl *Base = nullptr;
    for (NamedDecl *Found : Context.getTranslationUnitDecl()->lookup(DeclarationName(&Context.Idents.get(C.Name))))
      if (auto *Candidate = dyn_cast<FunctionDecl>(Found))
        Base = Candidate;
    if (!Base || !Bound.Tasks.count(Base->getCanonicalDecl())) {
      Report.report(Diag::ImplementsUnknown, Loc, {C.Name});
      return;
    }
    if (!Context.hasSameType(Base->getType(), Function.getType())) {
      Report.report(Diag::ImplementsDiffers, Loc, {Result.Model.Name, C.Name});
      return;
    }
    Result.Model.Implements = placeOf(*Base);
  }

  /// Where the descriptor of \p Task is.
  DescriptorPlace placeOf(const FunctionDecl &Task) const {
    DescriptorPlace Place;
    Place.Symbol = symbolOf(Task);
    TaskLinkage Linkage = linkageOf(Task);
    Place.IsLocal = Linkage == TaskLinkage::Internal || Linkage == TaskLinkage::Inline;
    bool Within = Task.getTemplateInstantiationPattern() || Task.isCXXClassMember() || Task.isInlined();
    if (isCXX() && (Place.IsLocal || Within)) {
      Place.Function = Origins.Call && &Task == Origins.Call->Callee ? calleeText() : selfName(Task);
      Place.Signature = "streamap_type_" + Result.Model.Id;
    } else if (isCXX()) {
      Place.Scope = "::"; // beside the one in the task's namespace
    }
    return Place;
  }

  /// The arguments that an explicit specialisation is written with.
  std::string argumentsText(const FunctionDecl &Written) const {
    const ASTTemplateArgumentListInfo *Arguments = Written.getTemplateSpecializationArgsAsWritten();
    if (!Arguments)
      return "";
    return Writer.textOf({Arguments->getLAngleLoc(), Arguments->getRAngleLoc()}).value_or("");
  }

  /// The callee as the call names it, with the arguments of its template.
  std::string calleeText() const {
    return Writer.textOf(Origins.Call->Call->getCallee()->getSourceRange()).value_or(selfName(*Origins.Call->Callee));
  }

  bool isCXX() const { return Context.getLangOpts().CPlusPlus; }

  const TaskSources &Origins;
  const FunctionDecl &Function;
  ASTContext &Context;
  const Bindings &Bound;
  const TokenStream &Stream;
  Reporter &Report;
  BuiltTask Result;
  ClauseWriter Writer;
  DirectiveSource Own, AtCall;
  std::vector<ChosenClause> Clauses;
  bool UsesTaskNumber = false;
  unsigned FirstError = Report.errorCount(); ///< errors of other tasks
};

/// Every variable declared in a body.
class VariableFinder : public RecursiveASTVisitor<VariableFinder> {
public:
  std::vector<const VarDecl *> Variables;
  bool VisitVarDecl(VarDecl *Variable) {
    Variables.push_back(Variable);
    return true;
  }
};

void TaskBuilder::addPrivate(SplitRules &Rules, llvm::StringRef Name) {
  VariableFinder Finder;
  Finder.TraverseStmt(Function.getBody());
  for (const VarDecl *Variable : Finder.Variables)
    if (Variable->getName() == Name)
      Rules.Private.insert(Variable);
  for (const ParmVarDecl *Parameter : Function.parameters())
    if (Parameter->getName() == Name)
      Rules.Private.insert(Parameter);
}

bool TaskBuilder::mentions(const Expr *E, const VarDecl *Variable) {
  struct Finder : RecursiveASTVisitor<Finder> {
    const VarDecl *Variable = nullptr;
    bool Found = false;
    bool VisitDeclRefExpr(DeclRefExpr *Reference) {
      Found |= Reference->getDecl() == Variable;
      return !Found;
    }
  } F;
  F.Variable = Variable;
  F.TraverseStmt(const_cast<Expr *>(E));
  return F.Found;
}

bool TaskBuilder::isChangedBehindItsBack(const VarDecl &Variable) const {
  struct Finder : RecursiveASTVisitor<Finder> {
    const VarDecl *Variable = nullptr;
    bool Found = false;
    bool VisitUnaryOperator(UnaryOperator *Operator) {
      Found |= Operator->getOpcode() == UO_AddrOf && rootOf(Operator->getSubExpr()) == Variable;
      return !Found;
    }
  } F;
  F.Variable = &Variable;
  F.TraverseStmt(Origins.Call->Enclosing->getBody());
  return F.Found || Variable.hasGlobalStorage();
}

} // namespace

BuiltTask buildTask(const TaskSources &Sources, const Bindings &Bound, const TokenStream &Stream, Reporter &Report) {
  return TaskBuilder(Sources, Bound, Stream, Report).run();
}

} // namespace streamap
