//===- CheckTaskSubscripts.cpp - Subscripts against sections --------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/CheckTaskSubscripts.h"

#include "directive/Literals.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace clang;

namespace streamap {

namespace {

std::optional<int64_t> constantOf(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult Value;
  if (E->isValueDependent() || !E->EvaluateAsInt(Value, Context) || !Value.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return Value.Val.getInt().getExtValue();
}

/// Finds the parameters whose value is not the caller's throughout.
class ChangeFinder : public RecursiveASTVisitor<ChangeFinder> {
public:
  llvm::DenseSet<const ValueDecl *> Changed;

  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      add(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
      add(E->getSubExpr());
    return true;
  }

private:
  void add(const Expr *E) {
    if (const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParens()))
      Changed.insert(Reference->getDecl());
  }
};

class SubscriptChecker : public RecursiveASTVisitor<SubscriptChecker> {
  using Base = RecursiveASTVisitor<SubscriptChecker>;

public:
  SubscriptChecker(const FunctionDecl &Task, llvm::ArrayRef<KnownSection> Sections, Reporter &Report)
      : Context(Task.getASTContext()), Report(Report) {
    ChangeFinder Changes;
    Changes.TraverseStmt(Task.getBody());
    for (const KnownSection &Section : Sections)
      if (!Changes.Changed.contains(Section.Parameter))
        SectionsOf[Section.Parameter].push_back(&Section);
  }

  // What never runs, and what is not evaluated, needs no elements.
  bool TraverseIfStmt(IfStmt *S) {
    std::optional<int64_t> Condition = constantOf(S->getCond(), Context);
    if (!Condition)
      return Base::TraverseIfStmt(S);
    Stmt *Taken = *Condition ? S->getThen() : S->getElse();
    return !Taken || TraverseStmt(Taken);
  }
  bool TraverseConditionalOperator(ConditionalOperator *E) {
    std::optional<int64_t> Condition = constantOf(E->getCond(), Context);
    if (!Condition)
      return Base::TraverseConditionalOperator(E);
    return TraverseStmt(*Condition ? E->getTrueExpr() : E->getFalseExpr());
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  /// `&x[n]` is a place, and may be the one behind the last element.
  bool TraverseUnaryAddrOf(UnaryOperator *E) {
    if (isa<ArraySubscriptExpr>(E->getSubExpr()->IgnoreParens()))
      return true;
    return TraverseStmt(E->getSubExpr());
  }
  bool TraverseUnaryOperator(UnaryOperator *E) {
    return E->getOpcode() == UO_AddrOf ? TraverseUnaryAddrOf(E) : Base::TraverseUnaryOperator(E);
  }

  bool TraverseArraySubscriptExpr(ArraySubscriptExpr *E) {
    llvm::SmallVector<const Expr *, 4> Subscripts;
    const Expr *Inner = E;
    while (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Inner->IgnoreParenImpCasts())) {
      Subscripts.insert(Subscripts.begin(), Subscript->getIdx());
      Inner = Subscript->getBase();
    }
    if (const auto *Reference = dyn_cast<DeclRefExpr>(Inner->IgnoreParenImpCasts()))
      check(*Reference->getDecl(), Subscripts);
    else if (!TraverseStmt(const_cast<Expr *>(Inner)))
      return false;
    return llvm::all_of(Subscripts, [&](const Expr *Index) { return TraverseStmt(const_cast<Expr *>(Index)); });
  }

private:
  void check(const ValueDecl &Parameter, llvm::ArrayRef<const Expr *> Subscripts) {
    auto It = SectionsOf.find(&Parameter);
    if (It == SectionsOf.end())
      return;
    const Expr *Culprit = nullptr;
    for (const KnownSection *Section : It->second) {
      Culprit = outside(*Section, Subscripts);
      if (!Culprit)
        return;
    }
    std::string Shown;
    for (const KnownSection *Section : It->second)
      Shown += (Shown.empty() ? "" : ", ") + Section->Shown;
    Report.report(Diag::OutsideSection, Culprit->getExprLoc(),
                  {Parameter.getNameAsString(), std::to_string(constantOf(Culprit, Context).value_or(0)), Shown});
  }

  /// The subscript that surely leaves \p Section; null if none does.
  const Expr *outside(const KnownSection &Section, llvm::ArrayRef<const Expr *> Subscripts) const {
    for (size_t I = 0; I < std::min(Section.Axes.size(), Subscripts.size()); ++I) {
      std::optional<int64_t> Value = constantOf(Subscripts[I], Context), Lower = Section.Axes[I].Lower;
      if (!Value || !Lower)
        continue;
      std::optional<int64_t> Length = Section.Axes[I].Length;
      uint64_t Distance = static_cast<uint64_t>(*Value) - static_cast<uint64_t>(*Lower);
      if (*Value < *Lower || (Length && *Length >= 0 && Distance >= static_cast<uint64_t>(*Length)))
        return Subscripts[I];
    }
    return nullptr;
  }

  const ASTContext &Context;
  Reporter &Report;
  llvm::DenseMap<const ValueDecl *, llvm::SmallVector<const KnownSection *, 2>> SectionsOf;
};

} // namespace

/// The value of an integer literal with an optional sign.
static std::optional<int64_t> literalValue(llvm::StringRef Text) {
  Text = Text.trim();
  while (Text.size() > 1 && Text.front() == '(' && Text.find_first_of("()", 1) == Text.size() - 1)
    Text = Text.drop_front().drop_back().trim();
  bool Negative = Text.consume_front("-");
  IntegerLiteral Literal = readInteger(Text.trim());
  if (Literal.Kind != IntegerLiteral::Outcome::Integer || Literal.Value > INT64_MAX)
    return std::nullopt;
  int64_t Value = static_cast<int64_t>(Literal.Value);
  return Negative ? -Value : Value;
}

std::vector<KnownSection> knownSections(const TaskModel &Model, const FunctionDecl &Task) {
  std::vector<KnownSection> Result;
  for (const SectionModel &Section : Model.Sections) {
    if (Section.FromType || Section.Parameter >= Task.getNumParams())
      continue;
    KnownSection &Known = Result.emplace_back();
    Known.Parameter = Task.getParamDecl(Section.Parameter);
    Known.Shown = Section.Shown;
    for (const AxisModel &Axis : Section.Axes) {
      KnownSection::Axis Bounds;
      if (!Axis.UsesSplit)
        Bounds = {literalValue(Axis.Lower), literalValue(Axis.Length)};
      Known.Axes.push_back(Bounds);
    }
  }
  return Result;
}

void checkSubscripts(const FunctionDecl &Task, llvm::ArrayRef<KnownSection> Sections, Reporter &Report) {
  if (!Sections.empty() && Task.doesThisDeclarationHaveABody())
    SubscriptChecker(Task, Sections, Report).TraverseStmt(Task.getBody());
}

} // namespace streamap
