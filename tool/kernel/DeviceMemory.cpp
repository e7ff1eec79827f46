//===- DeviceMemory.cpp - Which statements need the device's memory -------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/DeviceMemory.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"

using namespace clang;

namespace streamap {

namespace {

/// A visitor that sees a directive's statement and not what Clang made for it, and nothing that is not evaluated.
template <typename Derived> class BodyVisitor : public RecursiveASTVisitor<Derived> {
  using Base = RecursiveASTVisitor<Derived>;

public:
  bool TraverseStmt(Stmt *S) {
    auto &Self = static_cast<Derived &>(*this);
    if (auto *Directive = dyn_cast_or_null<OMPExecutableDirective>(S)) {
      Self.seeDirective(Directive);
      return !Directive->hasAssociatedStmt() || Self.TraverseStmt(Directive->getRawStmt());
    }
    if (auto *Captured = dyn_cast_or_null<CapturedStmt>(S))
      return Self.TraverseStmt(Captured->getCapturedStmt());
    return Base::TraverseStmt(S);
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseTypeLoc(TypeLoc) { return true; }
  void seeDirective(OMPExecutableDirective *) {}
};

} // namespace

const OMPLoopDirective *asKernelLoop(const Stmt *S) {
  const auto *Directive = dyn_cast_or_null<OMPLoopDirective>(S);
  if (!Directive)
    return nullptr;
  OpenMPDirectiveKind Kind = Directive->getDirectiveKind();
  bool Shares = isOpenMPWorksharingDirective(Kind) || isOpenMPDistributeDirective(Kind) || isOpenMPGenericLoopDirective(Kind);
  bool Parallel = isOpenMPParallelDirective(Kind) || isOpenMPTeamsDirective(Kind);
  return Shares && Parallel ? Directive : nullptr;
}

bool holdsKernelLoop(const Stmt *S) {
  struct Visitor : BodyVisitor<Visitor> {
    bool Found = false;
    void seeDirective(OMPExecutableDirective *Directive) { Found |= asKernelLoop(Directive) != nullptr; }
  } V;
  V.TraverseStmt(const_cast<Stmt *>(S));
  return V.Found;
}

const VarDecl *storageOf(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
      return dyn_cast<VarDecl>(Reference->getDecl());
    if (const auto *Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
      E = Member->getBase();
    else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E);
             Subscript && Subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      E = Subscript->getBase()->IgnoreParenImpCasts();
    else
      return nullptr;
  }
}

void forEachWritten(const Stmt *S, llvm::function_ref<void(const VarDecl *)> Do) {
  struct Visitor : BodyVisitor<Visitor> {
    VariableSet Written;
    llvm::DenseSet<const VarDecl *> Declared;
    bool VisitBinaryOperator(BinaryOperator *Operator) {
      if (Operator->isAssignmentOp())
        add(Operator->getLHS());
      return true;
    }
    bool VisitUnaryOperator(UnaryOperator *Operator) {
      // Whoever has the address may write.
      if (Operator->isIncrementDecrementOp() || Operator->getOpcode() == UO_AddrOf)
        add(Operator->getSubExpr());
      return true;
    }
    bool VisitVarDecl(VarDecl *Variable) {
      Declared.insert(Variable);
      return true;
    }
    void add(const Expr *Target) {
      const VarDecl *Variable = storageOf(Target);
      if (Variable && Variable->isLocalVarDeclOrParm())
        Written.insert(Variable);
    }
  } V;
  V.TraverseStmt(const_cast<Stmt *>(S));
  for (const VarDecl *Variable : V.Written)
    if (!V.Declared.contains(Variable) && !Variable->getType().isConstQualified())
      Do(Variable);
}

bool touchesDevice(const Stmt *S, const VariableSet &OnDevice) {
  struct Visitor : BodyVisitor<Visitor> {
    const VariableSet *OnDevice = nullptr;
    bool Found = false;
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      const auto *Variable = dyn_cast<VarDecl>(E->getDecl());
      Found |= Variable && OnDevice->contains(Variable);
      return !Found;
    }
    bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
      if (E->getCastKind() == CK_LValueToRValue)
        memory(E->getSubExpr());
      return !Found;
    }
    bool VisitBinaryOperator(BinaryOperator *E) {
      if (E->isAssignmentOp())
        memory(E->getLHS());
      return !Found;
    }
    bool VisitUnaryOperator(UnaryOperator *E) {
      if (E->isIncrementDecrementOp())
        memory(E->getSubExpr());
      return !Found;
    }
    void memory(const Expr *E) { Found |= storageOf(E) == nullptr && !isa<CompoundLiteralExpr>(E->IgnoreParens()); }
  } V;
  V.OnDevice = &OnDevice;
  V.TraverseStmt(const_cast<Stmt *>(S));
  return V.Found;
}

const Expr *callWithAddress(const Stmt *S) {
  struct Visitor : BodyVisitor<Visitor> {
    const Expr *Found = nullptr;
    bool VisitCallExpr(CallExpr *Call) {
      for (const Expr *Argument : Call->arguments())
        if (Argument->getType()->isPointerType() && !isa<StringLiteral>(Argument->IgnoreParenImpCasts()))
          Found = Call;
      return !Found;
    }
  } V;
  V.TraverseStmt(const_cast<Stmt *>(S));
  return V.Found;
}

bool holdsLoop(const Stmt *S) {
  struct Visitor : BodyVisitor<Visitor> {
    bool Found = false;
    bool VisitForStmt(ForStmt *) { return !(Found = true); }
    bool VisitWhileStmt(WhileStmt *) { return !(Found = true); }
    bool VisitDoStmt(DoStmt *) { return !(Found = true); }
    bool VisitGotoStmt(GotoStmt *) { return !(Found = true); }
  } V;
  V.TraverseStmt(const_cast<Stmt *>(S));
  return V.Found;
}

bool holdsJump(const Stmt *S) {
  struct Visitor : BodyVisitor<Visitor> {
    bool Found = false;
    bool VisitReturnStmt(ReturnStmt *) { return !(Found = true); }
    bool VisitBreakStmt(BreakStmt *) { return !(Found = true); }
    bool VisitContinueStmt(ContinueStmt *) { return !(Found = true); }
    bool VisitGotoStmt(GotoStmt *) { return !(Found = true); }
  } V;
  V.TraverseStmt(const_cast<Stmt *>(S));
  return V.Found;
}

//===--- Variables ----------------------------------------------------------===//

namespace {

template <typename ClauseT> void variablesOf(const OMPExecutableDirective &Directive, VariableSet &Out) {
  for (const auto *Clause : Directive.getClausesOfKind<ClauseT>())
    for (const Expr *E : Clause->varlists())
      if (const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()))
        if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
          Out.insert(Variable);
}

/// Adds to a set until nothing new comes.
class VariableScan {
public:
  VariableSet OnDevice;

  void scan(const Stmt *S) {
    if (!S)
      return;
    if (const OMPLoopDirective *Loop = asKernelLoop(S))
      return scanLoop(*Loop);
    if (const auto *Declaration = dyn_cast<DeclStmt>(S)) {
      for (const Decl *D : Declaration->decls())
        if (const auto *Variable = dyn_cast<VarDecl>(D);
            Variable && Variable->getInit() && touchesDevice(Variable->getInit(), OnDevice)) {
          OnDevice.insert(Variable);
          addWritten(Variable->getInit());
        }
      return;
    }
    if (isa<Expr>(S) || (isa<IfStmt>(S) && !holdsKernelLoop(S) && touchesDevice(cast<IfStmt>(S)->getCond(), OnDevice))) {
      if (touchesDevice(S, OnDevice))
        addWritten(S);
      return;
    }
    for (const Stmt *Child : S->children())
      scan(Child);
  }

private:
  void addWritten(const Stmt *S) {
    forEachWritten(S, [&](const VarDecl *Variable) { OnDevice.insert(Variable); });
  }

  void scanLoop(const OMPLoopDirective &Loop) {
    VariableSet Own;
    variablesOf<OMPPrivateClause>(Loop, Own);
    variablesOf<OMPFirstprivateClause>(Loop, Own);
    for (const Expr *Counter : Loop.counters())
      if (const auto *Reference = dyn_cast<DeclRefExpr>(Counter->IgnoreParenImpCasts()))
        if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
          Own.insert(Variable);
    forEachWritten(Loop.getRawStmt(), [&](const VarDecl *Variable) {
      if (!Own.contains(Variable))
        OnDevice.insert(Variable);
    });
    variablesOf<OMPReductionClause>(Loop, OnDevice);
    variablesOf<OMPLastprivateClause>(Loop, OnDevice);
  }
};

} // namespace

VariableSet findDeviceVariables(const Stmt *Body) {
  VariableScan Scan;
  size_t Before = 0;
  do {
    Before = Scan.OnDevice.size();
    Scan.scan(Body);
  } while (Scan.OnDevice.size() != Before);
  return std::move(Scan.OnDevice);
}

} // namespace streamap
