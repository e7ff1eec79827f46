//===- ProveWritten.cpp - Whether an out section is written whole ---------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/ProveWritten.h"
#include "frontend/LinearForm.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace streamap {

namespace {

/// Whether something in \p S may leave the straight way through it.
bool mayJump(const Stmt *S) {
  struct Finder : RecursiveASTVisitor<Finder> {
    bool Found = false;
    bool VisitStmt(Stmt *Child) {
      Found |= isa<ContinueStmt, BreakStmt, GotoStmt, IndirectGotoStmt, ReturnStmt, LabelStmt, AsmStmt>(Child);
      return !Found;
    }
  } F;
  F.TraverseStmt(const_cast<Stmt *>(S));
  return F.Found;
}

/// A loop around the assignment: index = First, ..., First + Trips - 1.
struct AroundLoop {
  const VarDecl *Index = nullptr;
  LinearForm First, Trips;
};

class Prover {
public:
  Prover(const FunctionDecl &Task, const SectionModel &Section, const SplitLoops &Loops, const TokenStream &Stream)
      : Task(Task), Section(Section), Loops(Loops), Stream(Stream), Parameter(Task.getParamDecl(Section.Parameter)) {}

  std::optional<std::string> run() {
    std::string Name = Parameter->getNameAsString();
    if (isChanged(Task.getBody(), Parameter))
      return Name + " is changed";
    for (const AxisModel &Axis : Section.Axes) {
      std::optional<LinearForm> Lower = LinearForm::parse(Axis.Lower), Length = LinearForm::parse(Axis.Length);
      if (!Lower || !Length)
        return "the bounds of " + Section.Shown + " are no sums of products";
      Wanted.push_back({*Lower, *Length});
    }
    std::string Why = " does not assign every element of " + Section.Shown + " in one nest of loops";
    if (Loops.Loops.empty())
      return walk(Task.getBody()) ? std::nullopt : std::optional("the body" + Why);
    // The section is the union over the indices of all split loops.
    for (const SplitLoop &Loop : Loops.Loops) {
      Split = &Loop;
      if (!walk(Task.getBody()))
        return "the loop in line " +
               std::to_string(Task.getASTContext().getSourceManager().getPresumedLineNumber(Loop.Loop->getBeginLoc())) + Why;
    }
    return std::nullopt;
  }

private:
  /// Whether \p S, which is reached, surely writes the section.
  bool walk(const Stmt *S) {
    if (const auto *Block = dyn_cast<CompoundStmt>(S))
      return walkBlock(*Block);
    if (const auto *Captured = dyn_cast<CapturedStmt>(S))
      return walk(Captured->getCapturedStmt());
    if (const auto *Directive = dyn_cast<OMPExecutableDirective>(S)) {
      OpenMPDirectiveKind Kind = Directive->getDirectiveKind();
      return (isOpenMPLoopDirective(Kind) || isOpenMPParallelDirective(Kind)) && Directive->hasAssociatedStmt() &&
             walk(Directive->getRawStmt());
    }
    if (const auto *For = dyn_cast<ForStmt>(S))
      return walkLoop(*For);
    const auto *E = dyn_cast<Expr>(S);
    if (const auto *Call = E ? dyn_cast<CXXOperatorCallExpr>(E->IgnoreImplicit()) : nullptr)
      return Call->getOperator() == OO_Equal && covers(Call->getArg(0));
    const auto *Assignment = E ? dyn_cast<BinaryOperator>(E->IgnoreParens()) : nullptr;
    return Assignment && Assignment->getOpcode() == BO_Assign && covers(Assignment->getLHS());
  }

  bool walkBlock(const CompoundStmt &Block) {
    for (const Stmt *Child : Block.body()) {
      if (walk(Child))
        return true;
      if (mayJump(Child))
        return false;
    }
    return false;
  }

  bool walkLoop(const ForStmt &For) {
    for (const SplitLoop &Loop : Loops.Loops)
      if (Loop.Loop == &For) {
        if (&Loop != Split)
          return false;
        InSplit = true;
        bool Written = walk(For.getBody());
        InSplit = false;
        return Written;
      }
    std::optional<SplitLoop> Loop = readLoop(For);
    bool Up =
        Loop && !Loop->Step && !Loop->StepDown && (Loop->Relation == STREAMAP_LOOP_LT || Loop->Relation == STREAMAP_LOOP_LE);
    if (!Up || mayJump(For.getBody()) || isChanged(For.getBody(), Loop->Index))
      return false;
    std::optional<LinearForm> First = form(Loop->First), Bound = form(Loop->Bound);
    if (!First || !Bound)
      return false;
    LinearForm Trips = *Bound - *First;
    if (Loop->Relation == STREAMAP_LOOP_LE)
      Trips = Trips + LinearForm::constant(1);
    Around.push_back({Loop->Index, *First, Trips});
    bool Written = walk(For.getBody());
    Around.pop_back();
    return Written;
  }

  /// Whether assigning to \p Target, in all loops around, writes the section.
  bool covers(const Expr *Target) {
    if (Split && !InSplit)
      return false;
    std::vector<const Expr *> Subscripts;
    const Expr *Base = Target->IgnoreParens();
    for (;;) {
      if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Base)) {
        Subscripts.insert(Subscripts.begin(), Subscript->getIdx());
        Base = Subscript->getBase()->IgnoreParenImpCasts();
      } else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(Base); Call && Call->getOperator() == OO_Subscript) {
        Subscripts.insert(Subscripts.begin(), Call->getArg(1));
        Base = Call->getArg(0)->IgnoreParenImpCasts();
      } else {
        break;
      }
    }
    const auto *Root = dyn_cast<DeclRefExpr>(Base);
    // A reference is its one element.
    if (Root && Root->getDecl() == Parameter && Subscripts.empty() && Parameter->getType()->isReferenceType())
      return llvm::all_of(Around, [](const AroundLoop &) { return false; });
    if (!Root || Root->getDecl() != Parameter || Subscripts.size() != Wanted.size())
      return false;
    std::vector<bool> Used(Around.size());
    for (size_t I = 0; I < Wanted.size(); ++I)
      if (!coversAxis(Subscripts[I], Wanted[I], Used))
        return false;
    // A loop that takes no part may run no time at all.
    return llvm::all_of(Used, [](bool Is) { return Is; });
  }

  bool coversAxis(const Expr *Subscript, const std::pair<LinearForm, LinearForm> &Axis, std::vector<bool> &Used) {
    std::optional<LinearForm> At = form(Subscript);
    if (!At)
      return false;
    const auto &[Lower, Length] = Axis;
    if (Length == LinearForm::constant(1) && *At == Lower)
      return true;
    for (size_t I = 0; I < Around.size(); ++I) {
      std::string Name = Around[I].Index->getNameAsString();
      LinearForm Rest = *At - LinearForm::name(Name);
      if (Used[I] || Rest.mentions(Name) || !(Rest + Around[I].First == Lower) || !(Around[I].Trips == Length))
        continue;
      Used[I] = true;
      return true;
    }
    return false;
  }

  /// \p E, if it is made of what has the same value all the time it matters.
  std::optional<LinearForm> form(const Expr *E) const {
    struct Finder : RecursiveASTVisitor<Finder> {
      std::vector<const ValueDecl *> Names;
      bool VisitDeclRefExpr(DeclRefExpr *Reference) {
        Names.push_back(Reference->getDecl());
        return true;
      }
    } F;
    F.TraverseStmt(const_cast<Expr *>(E));
    for (const ValueDecl *Value : F.Names)
      if (!isStable(Value))
        return std::nullopt;
    std::optional<std::pair<size_t, size_t>> Range = Stream.indices(E->getSourceRange());
    return Range ? LinearForm::parse(Stream.text(Range->first, Range->second)) : std::nullopt;
  }

  bool isStable(const ValueDecl *Value) const {
    if (const auto *Parm = dyn_cast<ParmVarDecl>(Value))
      return !isChanged(Task.getBody(), Parm);
    // Forms go by name: an index may not hide a parameter.
    if (llvm::any_of(Task.parameters(), [&](const ParmVarDecl *Parm) { return Parm->getDeclName() == Value->getDeclName(); }))
      return false;
    return (Split && Value == Split->Index) || llvm::any_of(Around, [&](const AroundLoop &Loop) { return Loop.Index == Value; });
  }

  const FunctionDecl &Task;
  const SectionModel &Section;
  const SplitLoops &Loops;
  const TokenStream &Stream;
  const ParmVarDecl *Parameter;
  std::vector<std::pair<LinearForm, LinearForm>> Wanted; ///< lower bound and length of each axis
  std::vector<AroundLoop> Around;
  const SplitLoop *Split = nullptr; ///< the one that is to be proven
  bool InSplit = false;
};

} // namespace

std::optional<std::string> whyNotWritten(const FunctionDecl &Task, const SectionModel &Section, const SplitLoops &Loops,
                                         const TokenStream &Stream) {
  return Prover(Task, Section, Loops, Stream).run();
}

} // namespace streamap
