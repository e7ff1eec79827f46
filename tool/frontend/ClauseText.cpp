//===- ClauseText.cpp - Expressions that every rank can evaluate ----------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/ClauseText.h"
#include "frontend/SplitLoops.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace streamap {

namespace {

/// The variable whose own storage \p E names without following a pointer; null
/// if a pointer is followed.
const VarDecl *storageOf(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
      return dyn_cast<VarDecl>(Reference->getDecl());
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      if (Member->isArrow())
        return nullptr;
      E = Member->getBase();
    } else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
      // Of an array, not of a pointer: the base is the array, decayed.
      const auto *Decay = dyn_cast<ImplicitCastExpr>(Subscript->getBase()->IgnoreParens());
      if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
        return nullptr;
      E = Decay->getSubExpr();
    } else {
      return nullptr;
    }
  }
}

/// Constant for the whole run and the same on every rank.
bool isConstantObject(const VarDecl *Variable) {
  QualType Type = Variable->getType();
  while (const auto *Array = Type->getAsArrayTypeUnsafe())
    Type = Array->getElementType();
  return Type.isConstQualified() && !Type.isVolatileQualified() && Variable->hasGlobalStorage();
}

bool isTaskNumber(const FunctionDecl *Function) {
  return Function->getIdentifier() &&
         (Function->getName() == "streamap_task_index" || Function->getName() == "streamap_task_count");
}

/// Equal but for blanks.
bool sameTokens(llvm::StringRef A, llvm::StringRef B) {
  std::string Left = A.str(), Right = B.str();
  llvm::erase(Left, ' ');
  llvm::erase(Right, ' ');
  return Left == Right;
}

/// Whether \p Function is known to compute from its arguments alone: by its
/// attributes, as a builtin, or since its body shows it.
class Purity {
public:
  bool isPure(const FunctionDecl *Function) {
    if (Function->hasAttr<ConstAttr>() || isTaskNumber(Function))
      return true;
    const Builtin::Context &Builtins = Function->getASTContext().BuiltinInfo;
    if (unsigned Id = Function->getBuiltinID())
      return Builtins.isConst(Id) || Builtins.isConstWithoutErrnoAndExceptions(Id);
    const FunctionDecl *Definition = Function->getDefinition();
    if (!Definition || !Seen.insert(Definition).second)
      return Definition != nullptr; // a recursive call adds nothing
    auto isNumber = [](QualType Type) { return Type->isArithmeticType() || Type->isEnumeralType(); };
    if (!isNumber(Definition->getReturnType()) ||
        !llvm::all_of(Definition->parameters(), [&](const ParmVarDecl *P) { return isNumber(P->getType()); }))
      return false;
    BodyWalker Walker(*this);
    Walker.TraverseStmt(Definition->getBody());
    return Walker.Pure;
  }

private:
  struct BodyWalker : RecursiveASTVisitor<BodyWalker> {
    explicit BodyWalker(Purity &Outer) : Outer(Outer) {}
    Purity &Outer;
    bool Pure = true;

    bool VisitDeclRefExpr(DeclRefExpr *Reference) {
      const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
      Pure &= !Variable || !Variable->hasGlobalStorage() || isConstantObject(Variable);
      return Pure;
    }
    bool VisitUnaryOperator(UnaryOperator *Operator) {
      Pure &= Operator->getOpcode() != UO_Deref && Operator->getOpcode() != UO_AddrOf;
      return Pure;
    }
    bool VisitCallExpr(CallExpr *Call) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      Pure &= Callee && Outer.isPure(Callee);
      return Pure;
    }
    bool VisitStmt(Stmt *S) {
      Pure &= !isa<AsmStmt, IndirectGotoStmt>(S);
      return Pure;
    }
    bool VisitVarDecl(VarDecl *Variable) {
      Pure &= !Variable->getType().isVolatileQualified();
      return Pure;
    }
  };

  llvm::DenseSet<const FunctionDecl *> Seen;
};

} // namespace

/// Looks at one expression from the outside in.
class ClauseWriter::Walker : public RecursiveASTVisitor<Walker> {
public:
  Walker(ClauseWriter &Writer, const VarDecl *Split) : Writer(Writer), Split(Split) {}

  bool shouldVisitImplicitCode() const { return true; }

  ClauseText run(const Expr *E) {
    std::optional<std::pair<size_t, size_t>> Range = Writer.Stream.indices(E->getSourceRange());
    if (E->isGLValue() && !E->getType()->isArrayType() && !E->getType()->isFunctionType())
      noteLoad(E);
    TraverseStmt(const_cast<Expr *>(E));
    // Reads of memory that the whole names come after those inside of it.
    for (const Expr *Load : Maximal)
      replaceLoad(Load);
    if (!Range)
      fault(ClauseFault::NotParameter, E);
    else
      Result.Text = Writer.Stream.text(Range->first, Range->second, Replaced);
    return std::move(Result);
  }

  bool VisitDeclRefExpr(DeclRefExpr *Reference) {
    const ValueDecl *Value = Reference->getDecl();
    if (Value == Split) {
      Result.UsesSplit = true;
      return true;
    }
    if (isa<EnumConstantDecl, FunctionDecl>(Value))
      return true;
    auto Found = Writer.Names.find(Value);
    if (Found != Writer.Names.end()) {
      if (Reference->getNameInfo().getAsString() != Found->second)
        if (std::optional<size_t> At = Writer.Stream.indexOf(Reference->getLocation()))
          Replaced[*At] = {*At + 1, Found->second};
      return true;
    }
    const auto *Variable = dyn_cast<VarDecl>(Value);
    if (!Variable || !Variable->hasGlobalStorage() || Variable->isStaticLocal())
      fault(ClauseFault::NotParameter, Reference);
    return true;
  }

  bool VisitImplicitCastExpr(ImplicitCastExpr *Cast) {
    if (Cast->getCastKind() == CK_LValueToRValue)
      noteLoad(Cast->getSubExpr());
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Purity().isPure(Callee)) {
      fault(ClauseFault::Call, Call);
      if (Callee && Result.Callee.empty())
        Result.Callee = Callee->getNameAsString();
    } else if (isTaskNumber(Callee) || (Callee->getDefinition() && asksForTaskNumber(*Callee->getDefinition()))) {
      Result.UsesTask = true;
    }
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *Operator) {
    if (Operator->isAssignmentOp())
      fault(ClauseFault::SideEffect, Operator);
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *Operator) {
    if (Operator->isIncrementDecrementOp())
      fault(ClauseFault::SideEffect, Operator);
    return true;
  }

  bool VisitStmtExpr(StmtExpr *E) {
    fault(ClauseFault::SideEffect, E);
    return true;
  }

  // Operands that are not evaluated read nothing.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }

private:
  void fault(ClauseFault Fault, const Expr *Culprit) {
    if (Result.Fault != ClauseFault::None)
      return;
    Result.Fault = Fault;
    Result.Culprit = Culprit;
  }

  /// \p Object, an lvalue, is read.
  void noteLoad(const Expr *Object) {
    if (const VarDecl *Variable = storageOf(Object)) {
      if (Writer.Names.count(Variable) || Variable == Split || isConstantObject(Variable) || !Variable->hasGlobalStorage())
        return; // in the pack, or not memory that a task could write
    }
    if (!insideLoad(Object))
      Maximal.push_back(Object);
  }

  /// Visits go from the outside in, so a load inside another comes later.
  bool insideLoad(const Expr *Object) const {
    std::optional<std::pair<size_t, size_t>> Inner = Writer.Stream.indices(Object->getSourceRange());
    for (const Expr *Outer : Maximal) {
      std::optional<std::pair<size_t, size_t>> Range = Writer.Stream.indices(Outer->getSourceRange());
      if (Outer == Object || (Range && Inner && Range->first <= Inner->first && Inner->second <= Range->second))
        return true;
    }
    return false;
  }

  /// Moves the read of \p Object into the pack.
  void replaceLoad(const Expr *Object) {
    std::optional<std::pair<size_t, size_t>> Range = Writer.Stream.indices(Object->getSourceRange());
    if (!Range || Object->refersToBitField() || mentionsIndex(Object)) {
      fault(ClauseFault::UnknownAddress, Object);
      return;
    }
    MemoryRead Read;
    Read.Type = Object->getType().getCanonicalType().getUnqualifiedType().getAsString(Writer.Context.getPrintingPolicy());
    if (!Object->getType()->isScalarType()) {
      fault(ClauseFault::UnknownAddress, Object);
      return;
    }
    TokenStream::Replacements Renamed = Replaced;
    Read.Text = Writer.Stream.text(Range->first, Range->second, Renamed);
    if (!Writer.PrintTypes)
      Read.Type = "typename streamap_bare<decltype(" + Read.Text + ")>::streamap_type";
    addSources(Object, Read.Sources);
    size_t Index = 0;
    for (; Index < Writer.Reads.size(); ++Index)
      if (sameTokens(Writer.Reads[Index].Text, Read.Text))
        break;
    if (Index == Writer.Reads.size())
      Writer.Reads.push_back(std::move(Read));
    Replaced[Range->first] = {Range->second, "streamap_read_" + std::to_string(Index)};
  }

  bool mentionsIndex(const Expr *Object) {
    struct Finder : RecursiveASTVisitor<Finder> {
      const VarDecl *Split = nullptr;
      bool Found = false;
      bool VisitDeclRefExpr(DeclRefExpr *Reference) {
        const auto *Function = dyn_cast<FunctionDecl>(Reference->getDecl());
        Found |= Reference->getDecl() == Split || (Function && isTaskNumber(Function));
        return true;
      }
    } F;
    F.Split = Split;
    F.TraverseStmt(const_cast<Expr *>(Object));
    return F.Found;
  }

  /// The lvalues to wait for before \p Object can be read, innermost first.
  void addSources(const Expr *Object, std::vector<std::string> &Sources) {
    struct Finder : RecursiveASTVisitor<Finder> {
      std::vector<const Expr *> Loads;
      bool VisitImplicitCastExpr(ImplicitCastExpr *Cast) {
        if (Cast->getCastKind() == CK_LValueToRValue)
          Loads.push_back(Cast->getSubExpr());
        return true;
      }
    } F;
    F.TraverseStmt(const_cast<Expr *>(Object));
    std::vector<const Expr *> Order(F.Loads.rbegin(), F.Loads.rend());
    Order.push_back(Object);
    for (const Expr *Load : Order) {
      const VarDecl *Variable = storageOf(Load);
      if (Variable && (Writer.Names.count(Variable) || isConstantObject(Variable)))
        continue;
      if (auto Range = Writer.Stream.indices(Load->getSourceRange()))
        Sources.push_back(Writer.Stream.text(Range->first, Range->second, Replaced));
    }
  }

  ClauseWriter &Writer;
  const VarDecl *Split;
  ClauseText Result;
  std::vector<const Expr *> Maximal;
  TokenStream::Replacements Replaced;
};

bool reportFault(const ClauseText &Text, SourceLocation Loc, Reporter &Report) {
  switch (Text.Fault) {
  case ClauseFault::None:
    return true;
  case ClauseFault::SideEffect:
    Report.report(Diag::SideEffect, Loc);
    return false;
  case ClauseFault::Call:
    Report.report(Diag::CallInClause, Loc, {Text.Callee.empty() ? "a pointer" : Text.Callee});
    return false;
  case ClauseFault::UnknownAddress:
  case ClauseFault::NotParameter:
    Report.report(Diag::UnknownAddress, Loc);
    return false;
  }
  llvm_unreachable("unknown fault");
}

std::optional<std::string> ClauseWriter::textOf(SourceRange Range) const {
  std::optional<std::pair<size_t, size_t>> Tokens = Stream.indices(Range);
  return Tokens ? std::optional(Stream.text(Tokens->first, Tokens->second)) : std::nullopt;
}

ClauseText ClauseWriter::write(const Expr *E, const VarDecl *Split) {
  return Walker(*this, Split).run(E);
}

namespace {

/// Degree in the split variable: 0, 1, or no polynomial of those.
constexpr int NotAffine = 2;

int degreeIn(const Expr *E, const VarDecl *Split) {
  E = E->IgnoreParens();
  auto freeOf = [Split](const Expr *Part) {
    struct Finder : RecursiveASTVisitor<Finder> {
      const VarDecl *Split = nullptr;
      bool Found = false;
      bool VisitDeclRefExpr(DeclRefExpr *Reference) {
        Found |= Reference->getDecl() == Split;
        return !Found;
      }
    } F;
    F.Split = Split;
    F.TraverseStmt(const_cast<Expr *>(Part));
    return !F.Found;
  };
  if (freeOf(E))
    return 0;
  if (isa<DeclRefExpr>(E))
    return 1;
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    QualType Type = Cast->getType();
    // A narrower type would wrap around.
    if (Cast->getCastKind() == CK_LValueToRValue || Cast->getCastKind() == CK_NoOp ||
        (Cast->getCastKind() == CK_IntegralCast && Type->isIntegerType() && !Type->isBooleanType()))
      return degreeIn(Cast->getSubExpr(), Split);
    return NotAffine;
  }
  if (const auto *Operator = dyn_cast<UnaryOperator>(E))
    return Operator->getOpcode() == UO_Minus || Operator->getOpcode() == UO_Plus ? degreeIn(Operator->getSubExpr(), Split)
                                                                                 : NotAffine;
  if (const auto *Operator = dyn_cast<BinaryOperator>(E)) {
    int Left = degreeIn(Operator->getLHS(), Split), Right = degreeIn(Operator->getRHS(), Split);
    switch (Operator->getOpcode()) {
    case BO_Add:
    case BO_Sub:
      return std::max(Left, Right);
    case BO_Mul:
      return std::min(Left + Right, NotAffine);
    case BO_Shl:
      return Right == 0 ? Left : NotAffine;
    default:
      return NotAffine;
    }
  }
  return NotAffine;
}

} // namespace

bool isAffine(const Expr *E, const VarDecl *Split) {
  return degreeIn(E, Split) != NotAffine;
}

} // namespace streamap
