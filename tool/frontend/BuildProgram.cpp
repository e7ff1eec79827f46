//===- BuildProgram.cpp - The directive in front of main ------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/BuildProgram.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace streamap {

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(const RecordedPragma &Pragma, const Probe &Parsed, const ASTContext &Context, Reporter &Report)
      : Pragma(Pragma), Written(*Pragma.Parsed.Result), Parsed(Parsed), Context(Context), Report(Report) {}

  ProgramModel run() {
    const SourceManager &Sources = Context.getSourceManager();
    PresumedLoc Place = Sources.getPresumedLoc(Sources.getExpansionLoc(Pragma.Introducer));
    Result.Pragma = {Place.getFilename(), Place.getLine()};
    std::vector<ResourceItem> Items = Written.Items;
    for (ResourceItem &Item : Items)
      addItem(Item);
    for (const DirectiveError &Problem : checkTaskList(Items))
      Report.report(Problem, {Pragma.Locations, Pragma.End});
    for (const Clause &C : Written.Clauses)
      addClause(C);
    return std::move(Result);
  }

private:
  std::optional<int64_t> constant(Fragment F, const char *What) {
    ProbedExpr Probed = Parsed.find(F);
    Expr::EvalResult Value;
    if (!Probed.Expression)
      return std::nullopt; // told
    if (Probed.Expression->getType()->isIntegerType() && Probed.Expression->EvaluateAsInt(Value, Context))
      return Value.Val.getInt().getExtValue();
    Report.report(Diag::ProgramNotConstant, Pragma.location(F.Begin), {What});
    return std::nullopt;
  }

  void addItem(ResourceItem &Item) {
    ItemModel Model;
    Model.Kind = Item.Kind;
    Model.Form = Item.ItemForm;
    switch (Item.ItemForm) {
    case ResourceItem::Form::All:
      break;
    case ResourceItem::Form::Numbered:
      if (!Item.FirstValue)
        Item.FirstValue = constant(Item.First, "the first task");
      if (!Item.LastValue)
        Item.LastValue = Item.Last.empty() ? Item.FirstValue : constant(Item.Last, "the last task");
      break;
    case ResourceItem::Form::Constant:
    case ResourceItem::Form::Expression:
      if (!Item.FirstValue)
        Item.FirstValue = constant(Item.Count, "the number of tasks");
      Model.Form = ResourceItem::Form::Constant;
      break;
    }
    Model.First = Item.FirstValue.value_or(0);
    Model.Last = Item.LastValue.value_or(Model.First);
    Result.Items.push_back(Model);
  }

  void addClause(const Clause &C) {
    if (C.Kind != ClauseKind::Share) {
      Report.report(Diag::ClauseNotAllowed, Pragma.location(C.NameToken),
                    {Pragma.Tokens[C.NameToken].Text, "resource before main"});
      return;
    }
    std::optional<int64_t> Value = constant(C.Expression, "the share");
    if (Value && (*Value < 1 || *Value > 100))
      Report.report(Diag::OutOfRange, Pragma.location(C.Expression.Begin),
                    {"the share", std::to_string(*Value), "between 1 and 100"});
    Result.Share = static_cast<int>(Value.value_or(100));
  }

  const RecordedPragma &Pragma;
  const Directive &Written;
  const Probe &Parsed;
  const ASTContext &Context;
  Reporter &Report;
  ProgramModel Result;
};

} // namespace

ProgramModel buildProgram(const RecordedPragma &Pragma, const Probe &Parsed, const ASTContext &Context, Reporter &Report) {
  return ProgramBuilder(Pragma, Parsed, Context, Report).run();
}

} // namespace streamap
