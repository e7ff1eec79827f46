//===- CheckTaskReach.cpp - What a task touches besides its sections ------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/CheckTaskReach.h"

#include "frontend/CheckTaskLibrary.h"
#include "frontend/Instantiations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>

using namespace clang;

namespace streamap {

namespace {

/// How a function came to be looked at.
struct Visit {
  const FunctionDecl *Function = nullptr;
  const Visit *CalledBy = nullptr; ///< null for the root
  SourceLocation CallSite;
};

class ReachChecker {
public:
  ReachChecker(const FunctionDecl &Root, const std::string &RootName, const CallableSet &Callable, Reporter &Report)
      : Context(Root.getASTContext()), Root(Root), RootName(RootName), Callable(Callable), Report(Report) {}

  void run();

  void useVariable(const VarDecl &Variable, SourceLocation Use);
  void useFunction(const FunctionDecl &Function, SourceLocation Use);
  void callIndirectly(SourceLocation Use);
  void useAssembly(SourceLocation Use);

private:
  void lookInside(const Visit &Next);
  bool inSystemHeader(const Decl &D) const { return Context.getSourceManager().isInSystemHeader(D.getLocation()); }
  bool isConstant(const VarDecl &Variable) const;
  bool reportLibraryFault(const FunctionDecl &Function, SourceLocation Use);
  void report(Diag Id, SourceLocation Use, const void *Subject, std::vector<std::string> Arguments);

  ASTContext &Context;
  const FunctionDecl &Root;
  const std::string &RootName;
  const CallableSet &Callable;
  Reporter &Report;

  std::deque<Visit> Visits; ///< a deque: Visit::CalledBy points into it
  llvm::DenseSet<const FunctionDecl *> Seen;
  llvm::DenseSet<const VarDecl *> Constants; ///< whose initialisers have been looked at
  llvm::DenseSet<std::pair<unsigned, const void *>> Reported;
  const Visit *Current = nullptr;
};

/// Finds the uses in one function's body, or in a constant's initialiser.
class UseFinder : public RecursiveASTVisitor<UseFinder> {
  using Base = RecursiveASTVisitor<UseFinder>;

public:
  explicit UseFinder(ReachChecker &Checker) : Checker(Checker) {}

  bool shouldVisitImplicitCode() const { return true; }

  // What is not evaluated is not touched.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) {
    bool IsVariableArray = !E->isArgumentType() && E->getArgumentExpr()->getType()->isVariablyModifiedType();
    return !IsVariableArray || Base::TraverseUnaryExprOrTypeTraitExpr(E);
  }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *) { return true; }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc) { return true; }
  bool TraverseTypeOfExprTypeLoc(TypeOfExprTypeLoc) { return true; }
  bool TraverseGenericSelectionExpr(GenericSelectionExpr *E) {
    return E->isResultDependent() || TraverseStmt(E->getResultExpr());
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    useDecl(*E->getDecl(), E->getLocation());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    useDecl(*E->getMemberDecl(), E->getMemberLoc());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    Checker.useFunction(*E->getConstructor(), E->getLocation());
    return true;
  }
  bool VisitVarDecl(VarDecl *Variable) {
    if (Variable->isStaticLocal())
      Checker.useVariable(*Variable, Variable->getLocation());
    else if (Variable->isLocalVarDecl())
      destroy(Variable->getType(), Variable->getLocation());
    return true;
  }
  bool VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr *E) {
    if (const CXXDestructorDecl *Destructor = E->getTemporary()->getDestructor())
      Checker.useFunction(*Destructor, E->getBeginLoc());
    return true;
  }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *E) {
    if (!E->getDestroyedType().isNull())
      destroy(E->getDestroyedType(), E->getBeginLoc());
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) {
    if (!Call->getCalleeDecl() || !isa<FunctionDecl>(Call->getCalleeDecl()))
      if (!Call->isTypeDependent() && !isa<CXXPseudoDestructorExpr>(Call->getCallee()->IgnoreParens()))
        Checker.callIndirectly(Call->getBeginLoc());
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *Assembly) {
    // An empty text is a barrier for the compiler, no access.
    if (!Assembly->getAsmString()->getString().trim().empty())
      Checker.useAssembly(Assembly->getAsmLoc());
    return true;
  }

private:
  /// The end of an object's life.
  void destroy(QualType Type, SourceLocation Use) {
    while (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
      Type = Array->getElementType();
    const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
    if (Class && Class->hasDefinition() && !Class->hasTrivialDestructor())
      if (const CXXDestructorDecl *Destructor = Class->getDestructor())
        Checker.useFunction(*Destructor, Use);
  }

  void useDecl(const ValueDecl &D, SourceLocation Use) {
    if (const auto *Variable = dyn_cast<VarDecl>(&D); Variable && Variable->hasGlobalStorage())
      Checker.useVariable(*Variable, Use);
    else if (const auto *Function = dyn_cast<FunctionDecl>(&D))
      Checker.useFunction(*Function, Use);
  }

  ReachChecker &Checker;
};

void ReachChecker::run() {
  Seen.insert(Root.getCanonicalDecl());
  Visits.push_back({&Root, nullptr, SourceLocation()});
  // Breadth first, so that a report names the shortest way from the task.
  for (size_t I = 0; I < Visits.size(); ++I)
    lookInside(Visits[I]);
}

void ReachChecker::lookInside(const Visit &Next) {
  Current = &Next;
  UseFinder Finder(*this);
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Next.Function))
    for (CXXCtorInitializer *Initializer : Constructor->inits())
      Finder.TraverseConstructorInitializer(Initializer);
  Finder.TraverseStmt(Next.Function->getBody());
}

/// Constant for good: the same bytes on every rank from the start on.
bool ReachChecker::isConstant(const VarDecl &Variable) const {
  QualType Type = Context.getBaseElementType(Variable.getType());
  if (Variable.isConstexpr())
    return true;
  if (!Type.isConstQualified() || Type.isVolatileQualified())
    return false;
  if (const auto *Class = Type->getAsCXXRecordDecl(); Class && Class->hasDefinition() && Class->hasMutableFields())
    return false;
  // A constant of C++ that code computes at start may come out differently.
  const VarDecl *Definition = nullptr;
  return !Context.getLangOpts().CPlusPlus || !Variable.getAnyInitializer(Definition) || Definition->hasConstantInitialization();
}

void ReachChecker::useVariable(const VarDecl &Variable, SourceLocation Use) {
  const VarDecl *Canonical = Variable.getCanonicalDecl();
  if (isConstant(Variable)) {
    // A constant pointer or table may lead to what is not constant.
    const VarDecl *Definition = nullptr;
    const Expr *Initializer = Variable.getAnyInitializer(Definition);
    if (Initializer && Constants.insert(Canonical).second && !inSystemHeader(Variable))
      UseFinder(*this).TraverseStmt(const_cast<Expr *>(Initializer));
    return;
  }
  if (inSystemHeader(Variable) && isSharedLibraryVariable(Variable.getName()))
    return;
  report(Variable.isStaticLocal() ? Diag::StaticLocal : Diag::MutableGlobal, Use, Canonical, {Variable.getNameAsString()});
}

void ReachChecker::useFunction(const FunctionDecl &Function, SourceLocation Use) {
  const FunctionDecl *Canonical = Function.getCanonicalDecl();
  if (Callable.contains(taskKey(Function)) || Function.isDependentContext())
    return;
  const FunctionDecl *Definition = nullptr;
  bool Visible = Function.hasBody(Definition);
  if ((!Visible || inSystemHeader(Function)) && reportLibraryFault(Function, Use))
    return;
  // The system's own code is taken at its word, but for the list above.
  if (inSystemHeader(Function) || Function.getBuiltinID() != 0 || Function.isImplicit() || Function.isDefaulted())
    return;
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Function); Method && Method->isVirtual())
    callIndirectly(Use);
  if (Visible) {
    if (Seen.insert(Canonical).second)
      Visits.push_back({Definition, Current, Use});
    return;
  }
  const IdentifierInfo *Name = Function.getIdentifier();
  if (Name && Name->getName().starts_with("streamap_"))
    return; // libstreamap's own
  report(Diag::BodyNotVisible, Use, Canonical, {Function.getNameAsString()});
}

bool ReachChecker::reportLibraryFault(const FunctionDecl &Function, SourceLocation Use) {
  bool IsLibrary = Function.getIdentifier() && (Function.isExternC() || Function.isInStdNamespace());
  std::optional<LibraryFunction> Known = IsLibrary ? findLibraryFault(Function.getName()) : std::nullopt;
  if (!Known)
    return false;
  Diag Id = Known->Fault == LibraryFault::State  ? Diag::StatefulFunction
            : Known->Fault == LibraryFault::Jump ? Diag::NonLocalJump
                                                 : Diag::EndsProgram;
  report(Id, Use, Function.getCanonicalDecl(), {Function.getNameAsString(), Known->Instead.str()});
  return true;
}

void ReachChecker::callIndirectly(SourceLocation Use) {
  report(Diag::IndirectCall, Use, Current->Function, {});
}

void ReachChecker::useAssembly(SourceLocation Use) {
  report(Diag::InlineAssembly, Use, Current->Function, {});
}

/// Reports each subject once, with the way from the task to it.
void ReachChecker::report(Diag Id, SourceLocation Use, const void *Subject, std::vector<std::string> Arguments) {
  if (!Reported.insert({static_cast<unsigned>(Id), Subject}).second)
    return;
  bool Direct = !Current->CalledBy;
  std::string Who = Direct ? RootName : "'" + Current->Function->getNameAsString() + "', which " + RootName + " calls,";
  Arguments.insert(Arguments.begin(), Who);
  Report.report(Id, Use, Arguments);
  for (const Visit *Step = Current; Step->CalledBy; Step = Step->CalledBy)
    Report.note(Step->CallSite, ("'" + Step->Function->getNameAsString() + "' is called here").c_str());
}

} // namespace

void checkReach(const FunctionDecl &Root, const std::string &RootName, const CallableSet &Callable, Reporter &Report) {
  ReachChecker(Root, RootName, Callable, Report).run();
}

} // namespace streamap
