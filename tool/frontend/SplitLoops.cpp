//===- SplitLoops.cpp - The loops that split(i) cuts ----------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/SplitLoops.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace streamap {

const VarDecl *rootOf(const Expr *E) {
  while (E) {
    E = E->IgnoreParenCasts();
    if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
      return dyn_cast<VarDecl>(Reference->getDecl());
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      E = Member->getBase();
    } else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
      E = Subscript->getBase();
    } else if (const auto *Operator = dyn_cast<UnaryOperator>(E)) {
      E = Operator->getSubExpr();
    } else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getOperator() == OO_Subscript) {
      E = Call->getArg(0);
    } else if (const auto *Sum = dyn_cast<BinaryOperator>(E)) {
      if (!Sum->isAdditiveOp())
        return nullptr;
      E = Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS() : Sum->getRHS();
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

namespace {

/// The variable whose own storage an assignment to \p Object changes.
const VarDecl *changedStorage(const Expr *Object) {
  for (;;) {
    Object = Object->IgnoreParens();
    if (const auto *Reference = dyn_cast<DeclRefExpr>(Object)) {
      const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
      return Variable && !Variable->getType()->isReferenceType() ? Variable : nullptr;
    }
    if (const auto *Member = dyn_cast<MemberExpr>(Object); Member && !Member->isArrow())
      Object = Member->getBase();
    else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Object);
             Subscript && Subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      Object = Subscript->getBase()->IgnoreParenImpCasts();
    else
      return nullptr;
  }
}

/// Calls \p OnWrite(target, whole expression) for every assignment.
template <typename Callback> class WriteFinder : public RecursiveASTVisitor<WriteFinder<Callback>> {
public:
  explicit WriteFinder(Callback OnWrite) : OnWrite(OnWrite) {}

  bool VisitBinaryOperator(BinaryOperator *Operator) {
    if (Operator->isAssignmentOp())
      OnWrite(Operator->getLHS(), Operator);
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *Operator) {
    if (Operator->isIncrementDecrementOp())
      OnWrite(Operator->getSubExpr(), Operator);
    return true;
  }

  // In C++ an assignment may be a call, and a call may write.
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *Call) {
    if (Call->isAssignmentOp() || Call->getOperator() == OO_PlusPlus || Call->getOperator() == OO_MinusMinus)
      OnWrite(Call->getArg(0), Call);
    return true;
  }

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *Call) {
    const CXXMethodDecl *Method = Call->getMethodDecl();
    const auto *Member = dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParens());
    if (Method && Member && !Member->isArrow() && !Method->isConst() && !Method->isStatic())
      OnWrite(Call->getImplicitObjectArgument(), Call);
    return true;
  }

private:
  Callback OnWrite;
};

template <typename Callback> void forEachWrite(const Stmt *S, Callback OnWrite) {
  WriteFinder<Callback>(OnWrite).TraverseStmt(const_cast<Stmt *>(S));
}

/// Takes a loop header apart. On failure says what is missing, and \p Culprit is the part that lacks it, if it is there.
std::optional<std::string> readHeader(const ForStmt *For, SplitLoop &Loop, SourceLocation &Culprit) {
  if (For->getCond())
    Culprit = For->getCond()->getBeginLoc();
  const Expr *Condition = For->getCond() ? For->getCond()->IgnoreParenImpCasts() : nullptr;
  const auto *Comparison = dyn_cast_or_null<BinaryOperator>(Condition);
  if (!Comparison || !(Comparison->isRelationalOp() || Comparison->getOpcode() == BO_NE))
    return "its condition does not compare it with a bound";
  auto isIndex = [&](const Expr *E) {
    const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Reference && Reference->getDecl() == Loop.Index;
  };
  BinaryOperatorKind Relation = Comparison->getOpcode();
  if (isIndex(Comparison->getLHS())) {
    Loop.Bound = Comparison->getRHS();
  } else if (isIndex(Comparison->getRHS())) {
    Loop.Bound = Comparison->getLHS();
    Relation = BinaryOperator::reverseComparisonOp(Relation);
  } else {
    return "its condition does not compare it with a bound";
  }
  switch (Relation) {
  case BO_LT:
    Loop.Relation = STREAMAP_LOOP_LT;
    break;
  case BO_LE:
    Loop.Relation = STREAMAP_LOOP_LE;
    break;
  case BO_GT:
    Loop.Relation = STREAMAP_LOOP_GT;
    break;
  case BO_GE:
    Loop.Relation = STREAMAP_LOOP_GE;
    break;
  default:
    Loop.Relation = STREAMAP_LOOP_NE;
    break;
  }

  if (For->getInc())
    Culprit = For->getInc()->getBeginLoc();
  const Expr *Increment = For->getInc() ? For->getInc()->IgnoreParens() : nullptr;
  const char *NoStep = "it does not step by one value that stays the same";
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Increment)) {
    if (!Unary->isIncrementDecrementOp() || !isIndex(Unary->getSubExpr()))
      return NoStep;
    Loop.StepDown = Unary->isDecrementOp();
    return std::nullopt;
  }
  const auto *Assignment = dyn_cast_or_null<BinaryOperator>(Increment);
  if (!Assignment || !isIndex(Assignment->getLHS()))
    return NoStep;
  if (Assignment->getOpcode() == BO_AddAssign || Assignment->getOpcode() == BO_SubAssign) {
    Loop.Step = Assignment->getRHS();
    Loop.StepDown = Assignment->getOpcode() == BO_SubAssign;
    return std::nullopt;
  }
  const auto *Sum = dyn_cast<BinaryOperator>(Assignment->getRHS()->IgnoreParenImpCasts());
  if (Assignment->getOpcode() != BO_Assign || !Sum || !Sum->isAdditiveOp())
    return NoStep;
  Loop.StepDown = Sum->getOpcode() == BO_Sub;
  if (isIndex(Sum->getLHS()))
    Loop.Step = Sum->getRHS();
  else if (isIndex(Sum->getRHS()) && !Loop.StepDown)
    Loop.Step = Sum->getLHS();
  else
    return NoStep;
  return std::nullopt;
}

/// Whether the sign of a constant step fits the relation.
std::optional<std::string> checkDirection(const SplitLoop &Loop, const ASTContext &Context) {
  int64_t Step = 1;
  if (Loop.Step) {
    Expr::EvalResult Value;
    if (!Loop.Step->EvaluateAsInt(Value, Context))
      return std::nullopt;
    Step = Value.Val.getInt().getExtValue();
  }
  if (Loop.StepDown)
    Step = -Step;
  if (Step == 0)
    return "its step is 0";
  bool Up = Loop.Relation == STREAMAP_LOOP_LT || Loop.Relation == STREAMAP_LOOP_LE;
  bool Down = Loop.Relation == STREAMAP_LOOP_GT || Loop.Relation == STREAMAP_LOOP_GE;
  if ((Up && Step < 0) || (Down && Step > 0))
    return "its step leads away from the bound";
  return std::nullopt;
}

/// The variable a `for` counts.
const VarDecl *indexOf(const ForStmt *For, const Expr *&First) {
  if (const auto *Declaration = dyn_cast_or_null<DeclStmt>(For->getInit())) {
    const auto *Variable = Declaration->isSingleDecl() ? dyn_cast<VarDecl>(Declaration->getSingleDecl()) : nullptr;
    First = Variable ? Variable->getInit() : nullptr;
    if (const auto *Braces = dyn_cast_or_null<InitListExpr>(First))
      First = Braces->getNumInits() == 1 ? Braces->getInit(0) : nullptr;
    return Variable;
  }
  const auto *Assignment = dyn_cast_or_null<BinaryOperator>(For->getInit());
  if (!Assignment || Assignment->getOpcode() != BO_Assign)
    return nullptr;
  const auto *Reference = dyn_cast<DeclRefExpr>(Assignment->getLHS()->IgnoreParens());
  First = Assignment->getRHS();
  return Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
}

/// Statements that leave the loop they are looked for in.
class ExitFinder : public RecursiveASTVisitor<ExitFinder> {
public:
  std::vector<std::pair<const char *, SourceLocation>> Exits;

  bool VisitReturnStmt(ReturnStmt *S) {
    Exits.push_back({"return", S->getBeginLoc()});
    return true;
  }
  bool VisitBreakStmt(BreakStmt *S) {
    if (Inner == 0)
      Exits.push_back({"break", S->getBeginLoc()});
    return true;
  }
  bool VisitLabelStmt(LabelStmt *S) {
    Labels.insert(S->getDecl());
    return true;
  }
  bool VisitGotoStmt(GotoStmt *S) {
    Gotos.push_back(S);
    return true;
  }
  bool VisitIndirectGotoStmt(IndirectGotoStmt *S) {
    Exits.push_back({"goto", S->getBeginLoc()});
    return true;
  }
  // What a lambda does it does when it is called.
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *S) {
    return inside([&] { return RecursiveASTVisitor::TraverseCXXForRangeStmt(S); });
  }
  bool TraverseForStmt(ForStmt *S) {
    return inside([&] { return RecursiveASTVisitor::TraverseForStmt(S); });
  }
  bool TraverseWhileStmt(WhileStmt *S) {
    return inside([&] { return RecursiveASTVisitor::TraverseWhileStmt(S); });
  }
  bool TraverseDoStmt(DoStmt *S) {
    return inside([&] { return RecursiveASTVisitor::TraverseDoStmt(S); });
  }
  bool TraverseSwitchStmt(SwitchStmt *S) {
    return inside([&] { return RecursiveASTVisitor::TraverseSwitchStmt(S); });
  }

  void finish() {
    for (const GotoStmt *S : Gotos)
      if (!Labels.count(S->getLabel()))
        Exits.push_back({"goto", S->getBeginLoc()});
  }

private:
  template <typename F> bool inside(F Body) {
    ++Inner;
    bool Continue = Body();
    --Inner;
    return Continue;
  }
  unsigned Inner = 0;
  llvm::DenseSet<const LabelDecl *> Labels;
  std::vector<const GotoStmt *> Gotos;
};

/// Walks a body, knowing which OpenMP directives are around.
class LoopFinder : public RecursiveASTVisitor<LoopFinder> {
public:
  LoopFinder(llvm::StringRef Name) : Name(Name) {}

  struct Found {
    const ForStmt *Loop;
    const VarDecl *Index;
    const Expr *First;
    std::vector<const OMPExecutableDirective *> Around;
  };
  std::vector<Found> Loops;
  llvm::DenseSet<const VarDecl *> PrivateSomewhere; ///< in a private or firstprivate clause of OpenMP

  bool TraverseForStmt(ForStmt *S) {
    const Expr *First = nullptr;
    const VarDecl *Index = InSplit ? nullptr : indexOf(S, First);
    if (Index && Index->getName() != Name)
      Index = nullptr;
    if (Index)
      Loops.push_back({S, Index, First, Around});
    bool Before = InSplit;
    InSplit |= Index != nullptr;
    bool Continue = RecursiveASTVisitor::TraverseForStmt(S);
    InSplit = Before;
    return Continue;
  }

  bool TraverseStmt(Stmt *S) {
    auto *Directive = dyn_cast_or_null<OMPExecutableDirective>(S);
    if (!Directive)
      return RecursiveASTVisitor::TraverseStmt(S);
    notePrivate<OMPPrivateClause>(*Directive);
    notePrivate<OMPFirstprivateClause>(*Directive);
    Around.push_back(Directive);
    bool Continue = RecursiveASTVisitor::TraverseStmt(S);
    Around.pop_back();
    return Continue;
  }

  /// Adds the variables that \p Directive names in clauses of one kind.
  template <typename ClauseT>
  static void variablesOf(const OMPExecutableDirective &Directive, llvm::DenseSet<const VarDecl *> &Out) {
    for (const auto *Clause : Directive.getClausesOfKind<ClauseT>())
      for (const Expr *E : Clause->varlists())
        if (const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()))
          if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
            Out.insert(Variable);
  }

private:
  template <typename ClauseT> void notePrivate(const OMPExecutableDirective &Directive) {
    variablesOf<ClauseT>(Directive, PrivateSomewhere);
  }

  llvm::StringRef Name;
  bool InSplit = false;
  std::vector<const OMPExecutableDirective *> Around;
};

class SplitChecker {
public:
  SplitChecker(const FunctionDecl &Task, const SplitRules &Rules, SourceLocation Pragma, Reporter &Report)
      : Task(Task), Context(Task.getASTContext()), Sources(Context.getSourceManager()), Rules(Rules), Pragma(Pragma),
        Report(Report) {}

  SplitLoops run() {
    LoopFinder Finder(Rules.Variable);
    Finder.TraverseStmt(Task.getBody());
    if (Finder.Loops.empty()) {
      Report.report(Diag::NoSplitLoop, Pragma, {Task.getNameAsString(), Rules.Variable});
      return std::move(Result);
    }
    for (const LoopFinder::Found &Found : Finder.Loops)
      check(Found, Finder.PrivateSomewhere);
    if (Result.Loops.size() == Finder.Loops.size())
      checkOutside();
    return std::move(Result);
  }

private:
  void notCanonical(SourceLocation Loc, const std::string &Reason) {
    Report.report(Diag::NotCanonical, Loc, {Rules.Variable, Reason});
  }

  void check(const LoopFinder::Found &Found, const llvm::DenseSet<const VarDecl *> &PrivateSomewhere) {
    SplitLoop Loop;
    Loop.Loop = Found.Loop;
    Loop.Index = Found.Index;
    Loop.First = Found.First;
    SourceLocation Loc = Found.Loop->getBeginLoc();
    QualType Type = Found.Index->getType();
    if (!Type->isIntegerType() || Type->isBooleanType() || Type->isEnumeralType() || Context.getTypeSize(Type) > 64) {
      Report.report(Diag::IndexType, Found.Index->getLocation(), {Rules.Variable, Type.getAsString()});
      return;
    }
    if (!Found.First)
      return notCanonical(Found.Index->getLocation(), "it has no first value");
    SourceLocation Culprit = Loc;
    if (std::optional<std::string> Reason = readHeader(Found.Loop, Loop, Culprit))
      return notCanonical(Culprit, *Reason);
    if (std::optional<std::string> Reason = checkDirection(Loop, Context))
      return notCanonical(Found.Loop->getInc()->getBeginLoc(), *Reason);
    for (const Expr *E : {Loop.First, Loop.Bound, Loop.Step})
      if (E && !E->getType()->isIntegerType())
        return notCanonical(E->getBeginLoc(), "its bounds and step must be integers");
    checkExits(Loop);
    checkIndex(Loop);
    checkSharedWrites(Loop, Found.Around, PrivateSomewhere);
    for (const OMPExecutableDirective *Directive : Found.Around)
      for (const auto *Clause : Directive->getClausesOfKind<OMPDefaultClause>())
        if (Clause->getDefaultKind() == llvm::omp::OMP_DEFAULT_none && !llvm::is_contained(Result.DefaultNone, Directive))
          Result.DefaultNone.push_back(Directive);
    Result.Loops.push_back(Loop);
  }

  void checkExits(const SplitLoop &Loop) {
    ExitFinder Finder;
    Finder.TraverseStmt(const_cast<Stmt *>(Loop.Loop->getBody()));
    Finder.finish();
    for (auto [Name, Loc] : Finder.Exits)
      Report.report(Diag::LeavesLoop, Loc, {Name});
  }

  void checkIndex(const SplitLoop &Loop) {
    forEachWrite(Loop.Loop->getBody(), [&](const Expr *Target, const Expr *Whole) {
      if (changedStorage(Target) == Loop.Index)
        Report.report(Diag::IndexChanged, Whole->getBeginLoc(), {Rules.Variable});
    });
  }

  bool isWithin(SourceLocation Loc, const Stmt *S) const {
    return S->getBeginLoc() == Loc ||
           (!Sources.isBeforeInTranslationUnit(Loc, S->getBeginLoc()) && !Sources.isBeforeInTranslationUnit(S->getEndLoc(), Loc));
  }

  void checkSharedWrites(const SplitLoop &Loop, const std::vector<const OMPExecutableDirective *> &Around,
                         const llvm::DenseSet<const VarDecl *> &PrivateSomewhere) {
    llvm::DenseSet<const VarDecl *> Reduced, Reported;
    for (const OMPExecutableDirective *Directive : Around)
      LoopFinder::variablesOf<OMPReductionClause>(*Directive, Reduced);
    forEachWrite(Loop.Loop->getBody(), [&](const Expr *Target, const Expr *) {
      const VarDecl *Variable = changedStorage(Target);
      if (!Variable || Variable == Loop.Index || !Variable->isLocalVarDeclOrParm() || Variable->isStaticLocal())
        return;
      if (isWithin(Variable->getLocation(), Loop.Loop) || Rules.Private.count(Variable) || PrivateSomewhere.count(Variable) ||
          Reduced.count(Variable) || !Reported.insert(Variable).second)
        return;
      Report.report(Diag::SharedWrite, Target->getBeginLoc(), {Variable->getNameAsString()});
    });
  }

  /// What happens outside of all split loops happens in every task.
  void checkOutside() {
    auto inLoop = [&](SourceLocation Loc) {
      return llvm::any_of(Result.Loops, [&](const SplitLoop &Loop) { return isWithin(Loc, Loop.Loop); });
    };
    llvm::DenseSet<const VarDecl *> Reported;
    forEachWrite(Task.getBody(), [&](const Expr *Target, const Expr *) {
      if (changedStorage(Target) || inLoop(Target->getBeginLoc()))
        return;
      const auto *Root = dyn_cast_or_null<ParmVarDecl>(rootOf(Target));
      if (Root && Rules.Sections.count(Root) && !Rules.Reductions.count(Root) && Reported.insert(Root).second)
        Report.report(Diag::SectionOutside, Target->getBeginLoc(), {Root->getNameAsString()});
    });
    checkIndexOutside(inLoop);
  }

  /// An index declared before its loop has no serial value behind it.
  template <typename InLoop> void checkIndexOutside(InLoop inLoop) {
    struct Finder : RecursiveASTVisitor<Finder> {
      std::vector<const DeclRefExpr *> References;
      bool VisitDeclRefExpr(DeclRefExpr *Reference) {
        References.push_back(Reference);
        return true;
      }
    } F;
    F.TraverseStmt(Task.getBody());
    for (const DeclRefExpr *Reference : F.References)
      for (const SplitLoop &Loop : Result.Loops)
        if (Reference->getDecl() == Loop.Index && !inLoop(Reference->getLocation())) {
          Report.report(Diag::SharedWrite, Reference->getLocation(), {Rules.Variable});
          return;
        }
  }

  const FunctionDecl &Task;
  const ASTContext &Context;
  const SourceManager &Sources;
  const SplitRules &Rules;
  SourceLocation Pragma;
  Reporter &Report;
  SplitLoops Result;
};

} // namespace

std::optional<SplitLoop> readLoop(const ForStmt &Loop) {
  SplitLoop Result;
  Result.Loop = &Loop;
  Result.Index = indexOf(&Loop, Result.First);
  SourceLocation Culprit;
  if (!Result.Index || !Result.First || !Result.Index->getType()->isIntegerType() || readHeader(&Loop, Result, Culprit))
    return std::nullopt;
  return Result;
}

SplitLoops findSplitLoops(const FunctionDecl &Task, const SplitRules &Rules, SourceLocation Pragma, Reporter &Report) {
  return SplitChecker(Task, Rules, Pragma, Report).run();
}

bool isChanged(const Stmt *Body, const VarDecl *Variable) {
  bool Changed = false;
  forEachWrite(Body, [&](const Expr *Target, const Expr *) { Changed |= changedStorage(Target) == Variable; });
  struct Finder : RecursiveASTVisitor<Finder> {
    const VarDecl *Variable = nullptr;
    bool Found = false;
    bool VisitUnaryOperator(UnaryOperator *Operator) {
      Found |= Operator->getOpcode() == UO_AddrOf && changedStorage(Operator->getSubExpr()) == Variable;
      return !Found;
    }
  } F;
  F.Variable = Variable;
  F.TraverseStmt(const_cast<Stmt *>(Body));
  return Changed || F.Found;
}

bool asksForTaskNumber(const FunctionDecl &Task) {
  struct Finder : RecursiveASTVisitor<Finder> {
    llvm::DenseSet<const FunctionDecl *> Seen;
    std::vector<const FunctionDecl *> Next;
    bool Found = false;
    bool VisitDeclRefExpr(DeclRefExpr *Reference) {
      const auto *Function = dyn_cast<FunctionDecl>(Reference->getDecl());
      if (!Function || !Function->getIdentifier())
        return true;
      Found |= Function->getName() == "streamap_task_index" || Function->getName() == "streamap_task_count";
      const FunctionDecl *Definition = Function->getDefinition();
      if (Definition && Seen.insert(Definition).second)
        Next.push_back(Definition);
      return !Found;
    }
  } F;
  F.Next.push_back(&Task);
  F.Seen.insert(&Task);
  while (!F.Next.empty() && !F.Found) {
    const FunctionDecl *Function = F.Next.back();
    F.Next.pop_back();
    F.TraverseStmt(Function->getBody());
  }
  return F.Found;
}

} // namespace streamap
