//===- KernelText.cpp - The user's text, fit for a device -----------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/KernelText.h"
#include "kernel/DeviceFunctions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace streamap {

bool pointsToVariableArray(QualType Type) {
  return Type->isPointerType() && Type->getPointeeType()->isVariableArrayType();
}

QualType flatElement(const ASTContext &Context, QualType Type) {
  QualType Element = Type->getPointeeType();
  while (const VariableArrayType *Array = Context.getAsVariableArrayType(Element))
    Element = Array->getElementType();
  return Element;
}

unsigned flatLevels(const ASTContext &Context, QualType Type) {
  unsigned Levels = 0;
  QualType Element = Type->getPointeeType();
  for (; const VariableArrayType *Array = Context.getAsVariableArrayType(Element); Element = Array->getElementType())
    ++Levels;
  return Levels;
}

std::string strideName(const VarDecl &Variable, unsigned Level) {
  return "streamap_stride_" + Variable.getNameAsString() + "_" + std::to_string(Level);
}

void KernelText::problem(Diag Id, SourceLocation Loc, std::vector<std::string> Arguments) {
  Problems.push_back({Id, Loc, std::move(Arguments)});
}

std::string KernelText::typed(QualType Type, const std::string &Name) const {
  std::string Text = Name;
  Type.getAsStringInternal(Text, Context.getPrintingPolicy());
  return Text;
}

//===--- Tokens -------------------------------------------------------------===//

unsigned KernelText::lineOf(size_t At, bool &Known) const {
  const SourceManager &Sources = Context.getSourceManager();
  PresumedLoc Place = Sources.getPresumedLoc(Sources.getExpansionLoc(Stream[At].getLocation()));
  Known = Place.isValid();
  return Known ? Place.getLine() : 0;
}

std::string KernelText::tokens(size_t Begin, size_t End, const TokenStream::Replacements &Replaced) const {
  constexpr unsigned MostBlankLines = 100; // farther apart, it is another file
  std::string Text;
  unsigned Line = 0;
  bool InPragma = false;
  for (size_t I = Begin; I < End;) {
    const Token &T = Stream[I];
    if (T.isAnnotation()) {
      InPragma = T.is(tok::annot_pragma_openmp) || (InPragma && T.isNot(tok::annot_pragma_openmp_end));
      ++I;
      continue;
    }
    if (InPragma) {
      ++I;
      continue;
    }
    bool Known = false;
    unsigned Here = lineOf(I, Known);
    if (Known && Line != 0 && Here > Line && Here - Line < MostBlankLines)
      Text.append(Here - Line, '\n');
    else if (!Text.empty() && (T.hasLeadingSpace() || T.isAtStartOfLine() || T.getLocation().isMacroID() ||
                               (I > Begin && Stream[I - 1].getLocation().isMacroID())))
      Text += ' ';
    if (Known)
      Line = std::max(Line, Here);
    auto Found = Replaced.find(I);
    if (Found == Replaced.end()) {
      Text += Stream.spelling(I++);
      continue;
    }
    Text += Found->second.second;
    Line += static_cast<unsigned>(llvm::count(Found->second.second, '\n'));
    I = Found->second.first;
  }
  return Text;
}

std::string KernelText::statement(const Stmt *S) {
  std::optional<std::pair<size_t, size_t>> Range = Stream.indices(S->getSourceRange());
  if (!Range) {
    problem(Diag::KernelMacro, S->getBeginLoc());
    return "";
  }
  TokenStream::Replacements Replaced;
  collect(S, Replaced);
  std::string Text = tokens(Range->first, Range->second, Replaced);
  // The range of a statement ends before its semicolon.
  bool HasSemicolon = Range->second < Stream.size() && Stream[Range->second].is(tok::semi);
  return HasSemicolon && !isa<CompoundStmt>(S) ? Text + ";" : Text;
}

std::string KernelText::expression(const Expr *E) {
  std::optional<std::pair<size_t, size_t>> Range = Stream.indices(E->getSourceRange());
  if (!Range) {
    problem(Diag::KernelMacro, E->getBeginLoc());
    return "0";
  }
  TokenStream::Replacements Replaced;
  collect(E, Replaced);
  return tokens(Range->first, Range->second, Replaced);
}

void KernelText::collect(const Stmt *S, TokenStream::Replacements &Replaced) {
  if (!S)
    return;
  if (const auto *Directive = dyn_cast<OMPExecutableDirective>(S))
    return directive(*Directive, Replaced);
  if (std::optional<std::string> Text = replacement(S)) {
    if (std::optional<std::pair<size_t, size_t>> Range = Stream.indices(S->getSourceRange()))
      Replaced[Range->first] = {Range->second, *Text};
    else
      problem(Diag::KernelMacro, S->getBeginLoc());
    return;
  }
  for (const Stmt *Child : S->children())
    collect(Child, Replaced);
}

//===--- What C++ reads differently -----------------------------------------===//

/// C converts without a word what C++ wants written.
std::optional<std::string> KernelText::castText(const ImplicitCastExpr &Cast) {
  const Expr *Inner = Cast.getSubExpr();
  switch (Cast.getCastKind()) {
  case CK_BitCast:
    if (!Cast.getType()->isPointerType() || Cast.getType()->isVoidPointerType())
      return std::nullopt;
    if (pointsToVariableArray(Cast.getType()))
      return "(" + typed(Context.getPointerType(flatElement(Context, Cast.getType())), "") + ")(" + expression(Inner) + ")";
    if (pointsToVariableArray(Inner->getType()))
      return std::nullopt; // flattened: its type is right already
    return "(" + typed(Cast.getType(), "") + ")(" + expression(Inner) + ")";
  case CK_NullToPointer:
    return Inner->getType()->isVoidPointerType() ? std::optional<std::string>("0") : std::nullopt;
  case CK_IntegralCast:
    if (Cast.getType()->isEnumeralType())
      return "(" + typed(Cast.getType().getUnqualifiedType(), "") + ")(" + expression(Inner) + ")";
    break;
  default:
    break;
  }
  if (!Explicit.contains(&Cast))
    return std::nullopt;
  return "(" + typed(Cast.getType().getUnqualifiedType(), "") + ")(" + expression(Inner) + ")";
}

/// Notes that the conversion at the top of \p E, if there is one, must be written.
void KernelText::makeExplicit(const Expr *E) {
  const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(E);
  if (!Cast)
    return;
  switch (Cast->getCastKind()) {
  case CK_FloatingCast:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_IntegralCast:
    Explicit.insert(Cast);
    break;
  default:
    break;
  }
}

std::optional<std::string> KernelText::callText(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  if (!Callee || !Callee->getIdentifier())
    return std::nullopt;
  if (Callee->getName() == "streamap_task_index") {
    SawIndex = true;
    return TaskIndex;
  }
  if (Callee->getName() == "streamap_task_count") {
    SawCount = true;
    return TaskCount;
  }
  // In CUDA sqrt, abs and their like are overloaded: the argument's type decides which is called.
  if (findDeviceFunction(Callee->getName()))
    for (const Expr *Argument : Call.arguments())
      makeExplicit(Argument);
  return std::nullopt;
}

std::optional<std::string> KernelText::replacement(const Stmt *S) {
  if (auto Found = Statements.find(S); Found != Statements.end())
    return Found->second;
  if (const auto *Reference = dyn_cast<DeclRefExpr>(S)) {
    auto Found = Texts.find(Reference->getDecl());
    return Found == Texts.end() ? std::nullopt : std::optional(Found->second);
  }
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(S)) {
    if (Cast->getCastKind() == CK_ArrayToPointerDecay && Cast->getSubExpr()->getType()->isVariableArrayType())
      return flatSubscript(Cast->getSubExpr());
    return castText(*Cast);
  }
  if (const auto *Call = dyn_cast<CallExpr>(S))
    return callText(*Call);
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(S))
    return pointsToVariableArray(Subscript->getBase()->getType()) ||
                   Subscript->getBase()->IgnoreParenImpCasts()->getType()->isVariableArrayType()
               ? flatSubscript(Subscript)
               : std::nullopt;
  if (const auto *Selection = dyn_cast<GenericSelectionExpr>(S))
    return "(" + expression(Selection->getResultExpr()) + ")";
  if (const auto *List = dyn_cast<InitListExpr>(S)) {
    for (const Expr *Element : List->inits())
      makeExplicit(Element);
    return std::nullopt;
  }
  if (const auto *Size = dyn_cast<UnaryExprOrTypeTraitExpr>(S)) {
    QualType Type = Size->isArgumentType() ? Size->getArgumentType() : Size->getArgumentExpr()->getType();
    if (Type->isVariablyModifiedType() && !pointsToVariableArray(Type))
      problem(Diag::KernelVariableArray, Size->getBeginLoc());
    return std::nullopt;
  }
  if (const auto *Operator = dyn_cast<UnaryOperator>(S);
      Operator && Operator->getOpcode() == UO_Deref && pointsToVariableArray(Operator->getSubExpr()->getType()))
    problem(Diag::KernelVariableArray, Operator->getBeginLoc());
  return std::nullopt;
}

//===--- Arrays of variable length ------------------------------------------===//

/// \p E, through whose type a dimension of variable length runs, as a pointer
/// to elements and a distance in elements.
std::optional<KernelText::Flat> KernelText::flatten(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Reference = dyn_cast<DeclRefExpr>(E)) {
    const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    if (!Variable || !pointsToVariableArray(Variable->getType()))
      return std::nullopt;
    auto Found = Texts.find(Variable);
    return Flat{Found == Texts.end() ? Variable->getNameAsString() : Found->second, "", Variable, 0};
  }
  const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E);
  if (!Subscript)
    return std::nullopt;
  std::optional<Flat> Base = flatten(Subscript->getBase());
  if (!Base)
    return std::nullopt;
  std::string Index = "(streamap_int)(" + expression(Subscript->getIdx()) + ")";
  if (Base->Level < flatLevels(Context, Base->Root->getType()))
    Index += " * " + strideName(*Base->Root, Base->Level);
  Base->Offset += (Base->Offset.empty() ? "" : " + ") + Index;
  ++Base->Level;
  return Base;
}

std::optional<std::string> KernelText::flatSubscript(const Expr *E) {
  std::optional<Flat> At = flatten(E);
  if (!At) {
    problem(Diag::KernelVariableArray, E->getBeginLoc());
    return std::nullopt;
  }
  if (E->getType()->isVariableArrayType())
    return At->Offset.empty() ? At->Base : "(" + At->Base + " + (" + At->Offset + "))";
  return At->Base + "[" + At->Offset + "]";
}

//===--- Directives inside a kernel -----------------------------------------===//

void KernelText::directive(const OMPExecutableDirective &Directive, TokenStream::Replacements &Replaced) {
  const Stmt *Inner = Directive.hasAssociatedStmt() ? Directive.getRawStmt() : nullptr;
  if (const auto *Atomic = dyn_cast<OMPAtomicDirective>(&Directive)) {
    if (std::optional<std::pair<size_t, size_t>> Range = Stream.indices(Inner->getSourceRange()))
      Replaced[Range->first] = {Range->second, atomicText(*Atomic, Inner)};
    else
      problem(Diag::KernelMacro, Directive.getBeginLoc());
    return;
  }
  // One thread runs a loop inside of a kernel, whatever OpenMP would do.
  bool IsLoop =
      isa<OMPSimdDirective>(Directive) || isa<OMPParallelForDirective>(Directive) || isa<OMPParallelForSimdDirective>(Directive);
  bool Renames = Directive.hasClausesOfKind<OMPPrivateClause>() || Directive.hasClausesOfKind<OMPFirstprivateClause>() ||
                 Directive.hasClausesOfKind<OMPLinearClause>();
  if (!IsLoop || (Renames && !isa<OMPSimdDirective>(Directive)))
    problem(Diag::KernelDirective, Directive.getBeginLoc(),
            {llvm::omp::getOpenMPDirectiveName(Directive.getDirectiveKind()).str()});
  collect(Inner, Replaced);
}

/// The new value of an atomic update, in terms of streamap_old; empty if \p E is none.
std::string KernelText::updateText(const Expr *E) {
  E = E->IgnoreParens();
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp())
    return Unary->isIncrementOp() ? "streamap_old + 1" : "streamap_old - 1";
  const auto *Assignment = dyn_cast<BinaryOperator>(E);
  if (!Assignment || !Assignment->isAssignmentOp())
    return "";
  if (Assignment->isCompoundAssignmentOp()) {
    BinaryOperatorKind Kind = BinaryOperator::getOpForCompoundAssignment(Assignment->getOpcode());
    return "streamap_old " + BinaryOperator::getOpcodeStr(Kind).str() + " (" + expression(Assignment->getRHS()) + ")";
  }
  std::string Place = expression(Assignment->getLHS());
  const auto *Operation = dyn_cast<BinaryOperator>(Assignment->getRHS()->IgnoreParenImpCasts());
  if (!Operation)
    return "";
  std::string Left = expression(Operation->getLHS()), Right = expression(Operation->getRHS()),
              Sign = " " + Operation->getOpcodeStr().str() + " ";
  if (expression(Operation->getLHS()->IgnoreParenImpCasts()) == Place)
    return "streamap_old" + Sign + "(" + Right + ")";
  if (expression(Operation->getRHS()->IgnoreParenImpCasts()) == Place)
    return "(" + Left + ")" + Sign + "streamap_old";
  return "";
}

/// Compare and exchange until nobody came between: every device has that, for every type of 4 and 8 bytes.
std::string KernelText::atomicText(const OMPAtomicDirective &Directive, const Stmt *S) {
  if (Directive.hasClausesOfKind<OMPReadClause>() || Directive.hasClausesOfKind<OMPWriteClause>())
    return "{ " + statement(S) + " }"; // one access of an aligned scalar
  const Expr *Update = dyn_cast<Expr>(S), *Kept = nullptr;
  bool KeepsOld = true;
  if (Directive.hasClausesOfKind<OMPCaptureClause>()) {
    if (const auto *Block = dyn_cast<CompoundStmt>(S); Block && Block->size() == 2) {
      const auto *First = dyn_cast<Expr>(Block->body_front()), *Second = dyn_cast<Expr>(Block->body_back());
      KeepsOld = Second && !updateText(Second).empty();
      Update = KeepsOld ? Second : First;
      const auto *Keep = dyn_cast_or_null<BinaryOperator>(KeepsOld ? First : Second);
      Kept = Keep ? Keep->getLHS() : nullptr;
    } else if (const auto *Keep = dyn_cast_or_null<BinaryOperator>(Update)) {
      Kept = Keep->getLHS();
      Update = Keep->getRHS()->IgnoreParenImpCasts();
      const auto *Unary = dyn_cast<UnaryOperator>(Update);
      KeepsOld = Unary && Unary->isPostfix();
    }
  }
  std::string Value = Update ? updateText(Update) : "";
  const Expr *Place = nullptr;
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Update ? Update->IgnoreParens() : nullptr))
    Place = Unary->getSubExpr();
  else if (const auto *Binary = dyn_cast_or_null<BinaryOperator>(Update ? Update->IgnoreParens() : nullptr))
    Place = Binary->getLHS();
  uint64_t Bits = Place ? Context.getTypeSize(Place->getType()) : 0;
  if (Value.empty() || !Place || (Bits != 32 && Bits != 64) || Directive.hasClausesOfKind<OMPCompareClause>()) {
    problem(Diag::KernelAtomic, S->getBeginLoc());
    return "";
  }
  std::string Type = typed(Place->getType().getUnqualifiedType().getCanonicalType(), "");
  return "{ " + Type + " *const streamap_place = (" + Type + " *)&(" + expression(Place) + "); " + Type +
         " streamap_old = *streamap_place, streamap_new; do streamap_new = (" + Type + ")(" + Value +
         "); while (!streamap_exchange_" + std::to_string(Bits) + "(streamap_place, &streamap_old, &streamap_new));" +
         (Kept ? " " + expression(Kept) + (KeepsOld ? " = streamap_old;" : " = streamap_new;") : "") + " }";
}

} // namespace streamap
