//===- DirectiveExpressions.cpp - What a directive evaluates --------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/DirectiveExpressions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace streamap {

std::string splitVariableOf(const Directive &D) {
  for (const Clause &C : D.Clauses)
    if (C.Kind == ClauseKind::Split)
      return C.Name;
  return "";
}

void forEachExpression(const Directive &D, llvm::function_ref<void(Fragment, bool)> Do) {
  for (const ResourceItem &Item : D.Items) {
    Do(Item.Count, false);
    Do(Item.First, false);
    if (Item.Last.Begin != Item.First.Begin)
      Do(Item.Last, false);
  }
  for (const Clause &C : D.Clauses) {
    Do(C.Expression, false);
    if (C.Kind == ClauseKind::Private)
      continue;
    for (const SectionExpr &Section : C.Sections)
      for (const SectionAxis &Axis : Section.Axes) {
        Do(Axis.Lower, C.Kind != ClauseKind::Extent);
        Do(Axis.Length, C.Kind != ClauseKind::Extent);
      }
  }
}

void addFragments(const Directive &D, Probe &P) {
  forEachExpression(D, [&](Fragment Wanted, bool InSplit) { P.add(Wanted, InSplit); });
}

namespace {

/// Collects the variables in scope at one statement.
class ScopeWalker {
public:
  explicit ScopeWalker(const Stmt *Target) : Target(Target) {}

  std::vector<const VarDecl *> Visible;

  /// Whether \p Target is in \p S; then Visible is what is in scope there.
  bool walk(const Stmt *S) {
    if (!S)
      return false;
    if (S == Target)
      return true;
    if (const auto *Captured = dyn_cast<CapturedStmt>(S))
      return walk(Captured->getCapturedStmt());
    size_t Outer = Visible.size();
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      for (const ParmVarDecl *Parameter : Lambda->getCallOperator()->parameters())
        Visible.push_back(Parameter);
      if (walk(Lambda->getBody()))
        return true;
      Visible.resize(Outer);
      return false;
    }
    for (const Stmt *Child : S->children()) {
      if (walk(Child))
        return true;
      if (const auto *Declaration = dyn_cast_or_null<DeclStmt>(Child))
        for (const Decl *D : Declaration->decls())
          if (const auto *Variable = dyn_cast<VarDecl>(D))
            Visible.push_back(Variable);
    }
    Visible.resize(Outer);
    return false;
  }

private:
  const Stmt *Target;
};

} // namespace

std::vector<const VarDecl *> capturedVariables(const BoundCall &Call, const FunctionDecl &Callee) {
  std::vector<const VarDecl *> Result;
  if (!Call.Enclosing)
    return Result;
  ScopeWalker Walker(Call.Call);
  for (const ParmVarDecl *Parameter : Call.Enclosing->parameters())
    Walker.Visible.push_back(Parameter);
  if (!Walker.walk(Call.Enclosing->getBody()))
    return Result;
  auto isParameter = [&](llvm::StringRef Name) {
    return llvm::any_of(Callee.parameters(), [&](const ParmVarDecl *Parameter) { return Parameter->getName() == Name; });
  };
  auto capture = [&](const PragmaToken &Token) {
    if (Token.TokenKind != PragmaToken::Kind::Identifier || isParameter(Token.Text))
      return;
    for (const VarDecl *Variable : llvm::reverse(Walker.Visible))
      if (Variable->getName() == Token.Text) {
        if (!llvm::is_contained(Result, Variable))
          Result.push_back(Variable);
        return;
      }
  };
  forEachExpression(*Call.Pragma->Parsed.Result, [&](Fragment F, bool) {
    for (unsigned T = F.Begin; T < F.End; ++T)
      capture(Call.Pragma->Tokens[T]);
  });
  return Result;
}

std::string declaredParameter(const VarDecl &Variable, const std::string &Name) {
  const ASTContext &Context = Variable.getASTContext();
  std::string Text = Name;
  Context.getAdjustedParameterType(Variable.getType())
      .getUnqualifiedType()
      .getAsStringInternal(Text, Context.getPrintingPolicy());
  return Text;
}

} // namespace streamap
