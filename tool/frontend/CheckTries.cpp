//===- CheckTries.cpp - Exceptions that a caller waits for in vain --------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/CheckTries.h"
#include "frontend/Instantiations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace streamap {

namespace {

bool catchesAll(const CXXTryStmt &Try) {
  for (unsigned I = 0; I < Try.getNumHandlers(); ++I)
    if (!Try.getHandler(I)->getExceptionDecl())
      return true;
  return false;
}

/// Looks for what throws in one body after another.
class ThrowFinder : public RecursiveASTVisitor<ThrowFinder> {
  using Base = RecursiveASTVisitor<ThrowFinder>;

public:
  bool Found = false;

  void look(const FunctionDecl &Function) {
    const auto *Type = Function.getType()->getAs<FunctionProtoType>();
    if (Found || (Type && !Type->isDependentType() && isNoexceptExceptionSpec(Type->getExceptionSpecType()) && Type->isNothrow()))
      return;
    if (Function.getBuiltinID() != 0 || Function.isImplicit() || Function.isDefaulted())
      return;
    const FunctionDecl *Definition = nullptr;
    if (!Function.hasBody(Definition)) {
      const SourceManager &Sources = Function.getASTContext().getSourceManager();
      // Bodies in system headers have not been looked at.
      Found = !Sources.isInSystemHeader(Function.getLocation());
      return;
    }
    if (Seen.insert(Definition).second)
      TraverseStmt(Definition->getBody());
  }

  bool VisitCXXThrowExpr(CXXThrowExpr *) {
    Found = true;
    return false;
  }
  bool VisitCallExpr(CallExpr *Call) {
    if (const FunctionDecl *Callee = Call->getDirectCallee())
      look(*Callee);
    return !Found;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) {
    look(*Construct->getConstructor());
    return !Found;
  }
  bool TraverseCXXTryStmt(CXXTryStmt *Try) {
    if (!catchesAll(*Try))
      return Base::TraverseCXXTryStmt(Try);
    for (unsigned I = 0; I < Try->getNumHandlers(); ++I)
      if (!TraverseStmt(Try->getHandler(I)))
        return false;
    return true;
  }
  // What a lambda does it does when it is called.
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }

private:
  llvm::DenseSet<const FunctionDecl *> Seen;
};

class TryChecker : public RecursiveASTVisitor<TryChecker> {
  using Base = RecursiveASTVisitor<TryChecker>;

public:
  TryChecker(ASTContext &Context, const Bindings &Bound, Reporter &Report)
      : Sources(Context.getSourceManager()), Bound(Bound), Report(Report) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    if (!D || (!isa<TranslationUnitDecl>(D) && D->getLocation().isValid() && Sources.isInSystemHeader(D->getLocation())))
      return true;
    unsigned Outer = std::exchange(Tries, isa<FunctionDecl>(D) ? 0 : Tries);
    bool Continue = Base::TraverseDecl(D);
    Tries = Outer;
    return Continue;
  }

  bool TraverseCXXTryStmt(CXXTryStmt *Try) {
    ++Tries;
    bool Continue = TraverseStmt(Try->getTryBlock());
    --Tries;
    for (unsigned I = 0; I < Try->getNumHandlers() && Continue; ++I)
      Continue = TraverseStmt(Try->getHandler(I));
    return Continue;
  }

  bool TraverseLambdaExpr(LambdaExpr *Lambda) {
    unsigned Outer = std::exchange(Tries, 0);
    bool Continue = Base::TraverseLambdaExpr(Lambda);
    Tries = Outer;
    return Continue;
  }

  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Tries > 0 ? Call->getDirectCallee() : nullptr;
    if (!Callee || !Bound.Tasks.count(taskKey(*Callee)) || !mayThrow(*Callee))
      return true;
    if (Reported.insert(Call->getBeginLoc()).second)
      Report.report(Diag::ThrowInVain, Call->getBeginLoc(), {Callee->getNameAsString()});
    return true;
  }

private:
  const SourceManager &Sources;
  const Bindings &Bound;
  Reporter &Report;
  unsigned Tries = 0; ///< try blocks around
  llvm::DenseSet<SourceLocation> Reported;
};

} // namespace

bool mayThrow(const FunctionDecl &Function) {
  ThrowFinder Finder;
  Finder.look(Function);
  return Finder.Found;
}

void checkTries(ASTContext &Context, const Bindings &Bound, Reporter &Report) {
  if (Context.getLangOpts().CXXExceptions && !Bound.Tasks.empty())
    TryChecker(Context, Bound, Report).TraverseDecl(Context.getTranslationUnitDecl());
}

} // namespace streamap
