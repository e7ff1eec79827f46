//===- ProveWritten.cpp - Whether an out section is written whole ---------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/ProveWritten.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"

using namespace clang;

namespace streamap {

namespace {

/// Whether \p E names \p Variable and nothing else.
bool isJust(const Expr *E, const ValueDecl *Variable) {
  const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Reference && Reference->getDecl() == Variable;
}

/// Whether \p S assigns the whole of `Parameter[Index]` with `=`.
bool assigns(const Stmt *S, const ParmVarDecl *Parameter, const VarDecl *Index) {
  const auto *E = dyn_cast<Expr>(S);
  const auto *Assignment = E ? dyn_cast<BinaryOperator>(E->IgnoreParens()) : nullptr;
  if (!Assignment || Assignment->getOpcode() != BO_Assign)
    return false;
  const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Assignment->getLHS()->IgnoreParens());
  return Subscript && isJust(Subscript->getBase(), Parameter) && isJust(Subscript->getIdx(), Index);
}

/// Whether \p S is or holds a `continue` of the loop around, a label or a goto.
bool mayBeJumpedOver(const Stmt *S) {
  struct Finder : RecursiveASTVisitor<Finder> {
    bool Found = false;
    bool VisitContinueStmt(ContinueStmt *) {
      Found = true;
      return false;
    }
    bool VisitGotoStmt(GotoStmt *) {
      Found = true;
      return false;
    }
    bool VisitIndirectGotoStmt(IndirectGotoStmt *) {
      Found = true;
      return false;
    }
    bool VisitReturnStmt(ReturnStmt *) {
      Found = true;
      return false;
    }
  } F;
  F.TraverseStmt(const_cast<Stmt *>(S));
  return F.Found;
}

/// Whether the body of \p Loop assigns the element in every iteration.
bool loopWrites(const SplitLoop &Loop, const ParmVarDecl *Parameter) {
  const Stmt *Body = Loop.Loop->getBody();
  if (assigns(Body, Parameter, Loop.Index))
    return true;
  const auto *Block = dyn_cast<CompoundStmt>(Body);
  if (!Block)
    return false;
  for (const Stmt *Child : Block->body()) {
    if (assigns(Child, Parameter, Loop.Index))
      return true;
    if (mayBeJumpedOver(Child))
      return false;
  }
  return false;
}

/// The end of \p S; an OpenMP directive's own ends with its line.
SourceLocation endOf(const Stmt *S) {
  const auto *Directive = dyn_cast<OMPExecutableDirective>(S);
  return Directive && Directive->hasAssociatedStmt() ? endOf(Directive->getRawStmt()) : S->getEndLoc();
}

/// Statements between the body of \p Task and \p Loop that are always executed
/// once: blocks and OpenMP constructs that share a loop's iterations.
bool isReachedAlways(const FunctionDecl &Task, const SplitLoop &Loop) {
  const Stmt *At = Task.getBody();
  while (At != Loop.Loop) {
    const Stmt *Next = nullptr;
    if (const auto *Block = dyn_cast<CompoundStmt>(At)) {
      for (const Stmt *Child : Block->body()) {
        const SourceManager &Sources = Task.getASTContext().getSourceManager();
        SourceLocation Begin = Child->getBeginLoc(), End = endOf(Child), Place = Loop.Loop->getBeginLoc();
        if (!Sources.isBeforeInTranslationUnit(Place, Begin) && !Sources.isBeforeInTranslationUnit(End, Place)) {
          Next = Child;
          break;
        }
        if (mayBeJumpedOver(Child))
          return false;
      }
    } else if (const auto *Directive = dyn_cast<OMPExecutableDirective>(At)) {
      if (!isOpenMPLoopDirective(Directive->getDirectiveKind()) && !isOpenMPParallelDirective(Directive->getDirectiveKind()))
        return false;
      Next = Directive->hasAssociatedStmt() ? Directive->getRawStmt() : nullptr;
    } else if (const auto *Captured = dyn_cast<CapturedStmt>(At)) {
      Next = Captured->getCapturedStmt();
    }
    if (!Next)
      return false;
    At = Next;
  }
  return true;
}

} // namespace

std::optional<std::string> whyNotWritten(const FunctionDecl &Task, const SectionModel &Section, const SplitLoops &Loops) {
  if (Loops.Loops.empty())
    return "only split tasks are looked into";
  const ParmVarDecl *Parameter = Task.getParamDecl(Section.Parameter);
  const std::string Index = Loops.Loops.front().Index->getNameAsString();
  if (Section.Axes.size() != 1 || Section.Axes[0].Lower != Index || Section.Axes[0].Length != "1" ||
      Task.getASTContext().getAsArrayType(Parameter->getType()->getPointeeType()))
    return "the section is not " + Parameter->getNameAsString() + "[" + Index + "]";
  for (const SplitLoop &Loop : Loops.Loops)
    if (!loopWrites(Loop, Parameter))
      return "the loop over " + Index + " in line " +
             std::to_string(Task.getASTContext().getSourceManager().getPresumedLineNumber(Loop.Loop->getBeginLoc())) +
             " does not assign " + Parameter->getNameAsString() + "[" + Index + "] in every iteration";
  // Sections are the union over the grids of all loops: each has to run.
  for (const SplitLoop &Loop : Loops.Loops)
    if (!isReachedAlways(Task, Loop))
      return "the loop over " + Index + " may be passed by";
  if (isChanged(Task.getBody(), Parameter))
    return Parameter->getNameAsString() + " is changed";
  return std::nullopt;
}

} // namespace streamap
