//===- Binding.cpp - What each directive stands before --------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/Binding.h"
#include "frontend/Instantiations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace streamap {

const char *directiveName(DirectiveKind Kind) {
  switch (Kind) {
  case DirectiveKind::Resource:
    return "resource";
  case DirectiveKind::Wait:
    return "wait";
  case DirectiveKind::WaitOn:
    return "wait on";
  case DirectiveKind::Discard:
    return "discard";
  case DirectiveKind::Callable:
    return "callable";
  }
  llvm_unreachable("unknown directive");
}

namespace {

/// What begins at one location: the outermost of each sort.
struct Beginning {
  const FunctionDecl *Function = nullptr;
  const Decl *Other = nullptr;
  const Stmt *Statement = nullptr;
  const Stmt *Parent = nullptr; ///< of Statement
  bool SeveralFunctions = false;
};

using Beginnings = llvm::DenseMap<SourceLocation, Beginning>;

/// Fills in what begins at the wanted locations.
class BeginningFinder : public RecursiveASTVisitor<BeginningFinder> {
public:
  BeginningFinder(Beginnings &Wanted, const SourceManager &Sources) : Wanted(Wanted), Sources(Sources) {}

  bool TraverseDecl(Decl *D) {
    // No directive of the user stands in a system header, and they are most of the text.
    if (!D || (!isa<TranslationUnitDecl>(D) && D->getLocation().isValid() && Sources.isInSystemHeader(D->getLocation())))
      return true;
    return RecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitDecl(Decl *D) {
    if (isa<TranslationUnitDecl>(D))
      return true;
    if (const FunctionDecl *Function = functionOf(*D))
      note(D->getBeginLoc(), Function);
    else
      note(D->getBeginLoc(), D);
    if (auto *Declarator = dyn_cast<DeclaratorDecl>(D))
      if (Declarator->getOuterLocStart() != D->getBeginLoc())
        note(Declarator->getOuterLocStart(), D);
    if (auto *Function = dyn_cast<FunctionDecl>(D); Function && Function->doesThisDeclarationHaveABody())
      Definitions.push_back(Function);
    return true;
  }

  bool TraverseStmt(Stmt *S) {
    if (!S)
      return true;
    auto Found = Wanted.find(S->getBeginLoc());
    if (Found != Wanted.end() && !Found->second.Statement) {
      Found->second.Statement = S;
      Found->second.Parent = Parents.empty() ? nullptr : Parents.back();
    }
    Parents.push_back(S);
    bool Continue = RecursiveASTVisitor::TraverseStmt(S);
    Parents.pop_back();
    return Continue;
  }

  bool TraverseLambdaExpr(LambdaExpr *Lambda) {
    Lambdas.push_back(Lambda->getCallOperator());
    return RecursiveASTVisitor::TraverseLambdaExpr(Lambda);
  }

  std::vector<const FunctionDecl *> Definitions, Lambdas;

private:
  /// The function that \p D, which begins before it, is the declaration of.
  static const FunctionDecl *functionOf(const Decl &D) {
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(&D))
      return Template->getTemplatedDecl();
    const auto *Linkage = dyn_cast<LinkageSpecDecl>(&D);
    if (!Linkage || Linkage->hasBraces() || Linkage->decls_empty())
      return nullptr;
    return dyn_cast<FunctionDecl>(*Linkage->decls_begin());
  }

  void note(SourceLocation Loc, const Decl *D) {
    auto Found = Wanted.find(Loc);
    if (Found == Wanted.end())
      return;
    Beginning &Here = Found->second;
    if (auto *Function = dyn_cast<FunctionDecl>(D)) {
      if (Here.Function && Here.Function != Function)
        Here.SeveralFunctions = true;
      else
        Here.Function = Function;
    } else if (!Here.Other) {
      Here.Other = D;
    }
  }

  Beginnings &Wanted;
  const SourceManager &Sources;
  std::vector<const Stmt *> Parents;
};

/// Whether \p Parent may have a whole statement as a child that is not an
/// expression of its own.
bool holdsStatements(const Stmt *Parent) {
  return !Parent || isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt, SwitchCase, LabelStmt, AttributedStmt,
                        CapturedStmt, OMPExecutableDirective, CXXForRangeStmt>(Parent);
}

class Binder {
public:
  Binder(ASTContext &Context, const PreprocessorRecord &Record, Reporter &Report)
      : Context(Context), Sources(Context.getSourceManager()), Record(Record), Report(Report) {}

  Bindings run() {
    for (const auto &Pragma : Record.Pragmas) {
      Wanted[Pragma->First];
      Wanted[Pragma->Next];
      if (!Pragma->Locations.empty())
        Wanted[Pragma->Locations.front()];
    }
    BeginningFinder Finder(Wanted, Sources);
    Finder.TraverseDecl(Context.getTranslationUnitDecl());
    Result.Definitions = std::move(Finder.Definitions);
    // One in a function is a part of it.
    Result.Definitions.insert(Result.Definitions.begin(), Finder.Lambdas.begin(), Finder.Lambdas.end());
    for (const auto &Pragma : Record.Pragmas)
      bind(*Pragma);
    chooseDirectives();
    return std::move(Result);
  }

private:
  void bind(const RecordedPragma &Pragma) {
    if (!Pragma.Parsed.Result) {
      for (const DirectiveError &Problem : Pragma.Parsed.Errors)
        Report.report(Problem, {Pragma.Locations, Pragma.End});
      return;
    }
    if (Context.getCurrentNamedModule()) {
      Report.report(Diag::ModuleUnit, Pragma.location(0));
      return;
    }
    switch (Pragma.Parsed.Result->Kind) {
    case DirectiveKind::Resource:
      bindResource(Pragma);
      break;
    case DirectiveKind::Callable:
      bindCallable(Pragma);
      break;
    case DirectiveKind::Wait:
    case DirectiveKind::WaitOn:
    case DirectiveKind::Discard:
      bindStatement(Pragma);
      break;
    }
  }

  const Beginning &after(const RecordedPragma &Pragma) {
    const Beginning &First = Wanted[Pragma.First];
    return First.Function || First.Statement || First.Other ? First : Wanted[Pragma.Next];
  }

  void wrongTarget(const RecordedPragma &Pragma, const Beginning &Next) {
    const char *Name = directiveName(Pragma.Parsed.Result->Kind);
    if (isLambda(Next)) {
      Report.report(Diag::LambdaTask, Pragma.location(0), {Name});
      return;
    }
    if (Pragma.AtEnd || (!Next.Function && !Next.Statement && !Next.Other)) {
      Report.report(Diag::NothingFollows, Pragma.location(0), {Name});
      return;
    }
    Report.report(Diag::WrongTarget, Pragma.location(0), {Name, describe(Next), "it belongs before a function or a call"});
  }

  static bool isLambda(const Beginning &Next) {
    const Decl *D = Next.Other;
    if (const auto *Statement = dyn_cast_or_null<DeclStmt>(Next.Statement); Statement && Statement->isSingleDecl())
      D = Statement->getSingleDecl();
    const auto *Variable = dyn_cast_or_null<VarDecl>(D);
    return Variable && Variable->getInit() && isa<LambdaExpr>(Variable->getInit()->IgnoreImplicit());
  }

  static std::string describe(const Beginning &Next) {
    if (Next.Statement && isa<NullStmt>(Next.Statement))
      return "an empty statement";
    if (const Decl *Other = Next.Other) {
      if (isa<EmptyDecl>(Other))
        return "an empty declaration";
      if (isa<TypedefNameDecl>(Other))
        return "a type definition";
      if (isa<TagDecl>(Other))
        return "a type";
      if (isa<VarDecl>(Other))
        return "a variable";
      if (isa<FriendDecl>(Other))
        return "a friend declaration";
      if (isa<ClassTemplateDecl>(Other))
        return "a class template";
      if (isa<NamespaceDecl>(Other))
        return "a namespace";
      if (isa<LinkageSpecDecl>(Other))
        return "a linkage block";
      return "this declaration";
    }
    if (Next.Statement && isa<DeclStmt>(Next.Statement))
      return "a declaration that is no function";
    return "this statement";
  }

  const FunctionDecl *enclosing(SourceLocation Loc) const { return Result.enclosing(Loc, Sources); }

  void bindResource(const RecordedPragma &Pragma) {
    const Beginning &Next = after(Pragma);
    if (!Pragma.AtEnd && Next.Function) {
      bindTask(Pragma, Next);
      return;
    }
    if (!Pragma.AtEnd && Next.Statement && !isa<DeclStmt, NullStmt>(Next.Statement)) {
      bindCall(Pragma, Next);
      return;
    }
    wrongTarget(Pragma, Next);
  }

  void bindTask(const RecordedPragma &Pragma, const Beginning &Next) {
    if (Next.SeveralFunctions) {
      Report.report(Diag::SeveralFunctions, Pragma.location(0), {"resource"});
      return;
    }
    if (Next.Function->isMain()) {
      if (!isSecond(Pragma, Next.Function, "declaration"))
        Result.Program = &Pragma, Result.Main = Next.Function;
      return;
    }
    if (isSecond(Pragma, Next.Function, "declaration"))
      return;
    BoundTask &Task = Result.Tasks[Next.Function->getCanonicalDecl()];
    // The definition's own directive counts; all of them say the same.
    if (!Task.Pragma || Next.Function->isThisDeclarationADefinition()) {
      Task.Annotated = Next.Function;
      Task.Pragma = &Pragma;
    }
    Task.All.push_back(&Pragma);
  }

  void bindCall(const RecordedPragma &Pragma, const Beginning &Next) {
    const auto *Expression = dyn_cast<Expr>(Next.Statement);
    if (const auto *Cleanups = dyn_cast_or_null<ExprWithCleanups>(Expression))
      Expression = Cleanups->getSubExpr();
    const auto *Call = dyn_cast_or_null<CallExpr>(Expression);
    if (!Expression) {
      wrongTarget(Pragma, Next);
      return;
    }
    if (!Call || !holdsStatements(Next.Parent)) {
      Report.report(Diag::NotOneCall, Pragma.location(0));
      return;
    }
    if (isa<OverloadExpr>(Call->getCallee()->IgnoreParens()) || isa<DependentScopeDeclRefExpr>(Call->getCallee())) {
      Report.report(Diag::CallDepends, Pragma.location(0));
      return;
    }
    const auto *Name = dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreImpCasts());
    const auto *Callee = Name ? dyn_cast<FunctionDecl>(Name->getDecl()) : nullptr;
    if (!Callee) {
      Report.report(Diag::CallNotDirect, Pragma.location(0));
      return;
    }
    if (!isSecond(Pragma, Call, "call"))
      Result.Calls.push_back({&Pragma, Call, Callee, enclosing(Pragma.Introducer)});
  }

  bool isSecond(const RecordedPragma &Pragma, const void *Target, const char *What) {
    if (Targets.insert(Target).second)
      return false;
    Report.report(Diag::TwoDirectives, Pragma.location(0), {"resource", What});
    return true;
  }

  void bindCallable(const RecordedPragma &Pragma) {
    const Beginning &Next = after(Pragma);
    if (Pragma.AtEnd || !Next.Function || Next.SeveralFunctions) {
      if (Next.SeveralFunctions)
        Report.report(Diag::SeveralFunctions, Pragma.location(0), {"callable"});
      else
        wrongTarget(Pragma, Next);
      return;
    }
    if (Result.Callable.insert(Next.Function->getCanonicalDecl()).second)
      if (const FunctionDecl *Definition = Next.Function->getDefinition())
        Result.CallableDefinitions.push_back(Definition);
  }

  void bindStatement(const RecordedPragma &Pragma) {
    const FunctionDecl *Enclosing = enclosing(Pragma.Introducer);
    if (!Enclosing) {
      Report.report(Diag::OutsideFunction, Pragma.location(0), {directiveName(Pragma.Parsed.Result->Kind)});
      return;
    }
    const CompoundStmt *Regions = nullptr;
    if (Pragma.Parsed.Result->Kind != DirectiveKind::Wait)
      Regions = dyn_cast_or_null<CompoundStmt>(Wanted[Pragma.Locations.front()].Statement);
    Result.Statements.push_back({&Pragma, Enclosing, Regions});
  }

  /// Repeated directives must agree, and a call's callee must be a task.
  void chooseDirectives() {
    auto spelling = [](const RecordedPragma &Pragma) {
      std::string Text;
      for (const PragmaToken &Token : Pragma.Tokens)
        if (Token.Text != ",") // commas between items and clauses are optional
          Text += Token.Text + " ";
      return Text;
    };
    for (auto &[Canonical, Task] : Result.Tasks) {
      Result.Callable.insert(Canonical);
      for (const RecordedPragma *Other : Task.All)
        if (spelling(*Other) != spelling(*Task.All.front()))
          Report.report(Diag::DeclarationsDiffer, Other->location(0), {Canonical->getNameAsString()});
    }
    if (Context.getLangOpts().CPlusPlus)
      for (auto &[Canonical, Task] : Result.Tasks)
        checkDeclarations(*Canonical, Task);
    llvm::erase_if(Result.Calls, [&](const BoundCall &Call) {
      if (Result.Tasks.count(taskKey(*Call.Callee)))
        return false;
      Report.report(Diag::CallNotTask, Call.Pragma->location(0), {Call.Callee->getNameAsString()});
      return true;
    });
  }

  /// What a directive in C++ must stand before as well.
  void checkDeclarations(const FunctionDecl &Canonical, const BoundTask &Task) {
    const FunctionDecl *Definition = Canonical.getDefinition();
    bool Apart = Definition && !Task.Annotated->isThisDeclarationADefinition() && isTaskKind(Canonical);
    if (Apart && (isPattern(Canonical) || Canonical.isCXXClassMember()))
      Report.report(Diag::DefinitionApart, Definition->getLocation(), {Canonical.getNameAsString()});
    if (const FunctionTemplateDecl *Template = Canonical.getDescribedFunctionTemplate())
      for (const FunctionDecl *Special : Template->specializations())
        if (Special->getTemplateSpecializationKind() == TSK_ExplicitSpecialization &&
            !Result.Tasks.count(Special->getCanonicalDecl()))
          Report.report(Diag::PlainSpecialisation, Special->getLocation(), {Canonical.getNameAsString()});
  }

  ASTContext &Context;
  const SourceManager &Sources;
  const PreprocessorRecord &Record;
  Reporter &Report;
  Beginnings Wanted;
  llvm::DenseSet<const void *> Targets;
  Bindings Result;
};

} // namespace

const FunctionDecl *Bindings::enclosing(SourceLocation Loc, const SourceManager &Sources) const {
  Loc = Sources.getExpansionLoc(Loc);
  const FunctionDecl *Found = nullptr;
  for (const FunctionDecl *Function : Definitions) {
    SourceRange Body = Sources.getExpansionRange(Function->getBody()->getSourceRange()).getAsRange();
    if (Sources.isBeforeInTranslationUnit(Body.getBegin(), Loc) && Sources.isBeforeInTranslationUnit(Loc, Body.getEnd()))
      Found = Function; // nested ones come later
  }
  return Found;
}

Bindings bindDirectives(ASTContext &Context, const PreprocessorRecord &Record, Reporter &Report) {
  return Binder(Context, Record, Report).run();
}

} // namespace streamap
