//===- CheckTaskPlaces.cpp - Where wait and discard may stand -------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/CheckTask.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace streamap {

namespace {

/// Visits every statement that takes exactly one statement as its body.
class PlaceChecker : public RecursiveASTVisitor<PlaceChecker> {
public:
  PlaceChecker(llvm::ArrayRef<PlacedDirective> Directives, Reporter &Report) : Report(Report) {
    for (const PlacedDirective &Directive : Directives) {
      BehindDirective.insert({Directive.Next, &Directive});
      // The list of a directive is a statement at its own place.
      BehindDirective.insert({Directive.Pragma, &Directive});
    }
  }

  bool VisitIfStmt(IfStmt *S) {
    check(S->getThen(), "if", S->getRParenLoc());
    return check(S->getElse(), "else", S->getElseLoc());
  }
  bool VisitForStmt(ForStmt *S) { return check(S->getBody(), "for", S->getRParenLoc()); }
  bool VisitWhileStmt(WhileStmt *S) { return check(S->getBody(), "while", S->getRParenLoc()); }
  bool VisitDoStmt(DoStmt *S) { return check(S->getBody(), "do", S->getDoLoc()); }
  bool VisitSwitchStmt(SwitchStmt *S) { return check(S->getBody(), "switch", S->getRParenLoc()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) { return check(S->getBody(), "for", S->getRParenLoc()); }
  bool VisitLabelStmt(LabelStmt *S) { return check(S->getSubStmt(), "", SourceLocation()); }
  bool VisitCaseStmt(CaseStmt *S) { return check(S->getSubStmt(), "", S->getColonLoc()); }
  bool VisitDefaultStmt(DefaultStmt *S) { return check(S->getSubStmt(), "", S->getColonLoc()); }

private:
  /// \p Owner is empty for a label. A brace belongs behind the token at
  /// \p Before, where that is known.
  bool check(const Stmt *Body, llvm::StringRef Owner, SourceLocation Before) {
    auto It = Body ? BehindDirective.find(Body->getBeginLoc()) : BehindDirective.end();
    if (It == BehindDirective.end())
      return true;
    const PlacedDirective &Directive = *It->second;
    std::vector<FixItHint> Braces;
    if (Before.isFileID() && Directive.Next.isFileID()) {
      SourceLocation Behind = Before.getLocWithOffset(Owner == "else" ? 4 : Owner == "do" ? 2 : 1);
      Braces = {FixItHint::CreateInsertion(Behind, " {"), FixItHint::CreateInsertion(Directive.Next, "} ")};
    }
    Report.report(Owner.empty() ? Diag::BehindLabel : Diag::SoleBody, Directive.Pragma, {Directive.Name.str(), Owner.str()},
                  Braces);
    return true;
  }

  llvm::DenseMap<SourceLocation, const PlacedDirective *> BehindDirective;
  Reporter &Report;
};

} // namespace

void checkDirectivePlaces(const Stmt &Body, llvm::ArrayRef<PlacedDirective> Directives, Reporter &Report) {
  if (!Directives.empty())
    PlaceChecker(Directives, Report).TraverseStmt(const_cast<Stmt *>(&Body));
}

} // namespace streamap
