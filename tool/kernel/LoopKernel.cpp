//===- LoopKernel.cpp - An OpenMP loop as a kernel ------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/LoopKernel.h"
#include "emit/EmitTask.h"
#include "kernel/Reduction.h"

#include "streamap/kernel.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"

using namespace clang;

namespace streamap {

namespace {

constexpr uint64_t PartialAlignment = 256;

std::string at(const char *Name, size_t Depth) {
  return std::string("streamap_") + Name + "_" + std::to_string(Depth);
}

/// The only statement of \p S, out of its braces.
const Stmt *withoutBraces(const Stmt *S) {
  while (const auto *Block = dyn_cast_or_null<CompoundStmt>(S)) {
    if (Block->size() != 1)
      return S;
    S = Block->body_front();
  }
  return S;
}

} // namespace

bool LoopKernel::problem(Diag Id, SourceLocation Loc, std::vector<std::string> Arguments) {
  Problems.push_back({Id, Loc, std::move(Arguments)});
  return false;
}

std::string LoopKernel::hostText(const Expr *E) const {
  std::optional<std::pair<size_t, size_t>> Range = Stream.indices(E->getSourceRange());
  return Range ? Stream.text(Range->first, Range->second) : "0";
}

const Stmt *LoopKernel::outermost() const {
  return Loops.front().Loop;
}

//===--- Reading ------------------------------------------------------------===//

bool LoopKernel::read() {
  return readLoops() && readClauses() && checkWrites();
}

/// What several iterations write at once comes out differently on a GPU than one after the other, unless OpenMP is told.
bool LoopKernel::checkWrites() {
  struct Finder : RecursiveASTVisitor<Finder> {
    std::vector<const Expr *> Targets;
    llvm::DenseSet<const VarDecl *> Declared;
    bool TraverseStmt(Stmt *S) { return isa_and_nonnull<OMPAtomicDirective>(S) || RecursiveASTVisitor::TraverseStmt(S); }
    bool VisitBinaryOperator(BinaryOperator *Operator) {
      if (Operator->isAssignmentOp())
        Targets.push_back(Operator->getLHS());
      return true;
    }
    bool VisitUnaryOperator(UnaryOperator *Operator) {
      if (Operator->isIncrementDecrementOp())
        Targets.push_back(Operator->getSubExpr());
      return true;
    }
    bool VisitVarDecl(VarDecl *Variable) {
      Declared.insert(Variable);
      return true;
    }
  } F;
  F.TraverseStmt(const_cast<Stmt *>(Loops.back().Loop->getBody()));
  for (const Expr *Target : F.Targets) {
    const VarDecl *Variable = storageOf(Target);
    if (Variable && Variable->isLocalVarDeclOrParm() && !F.Declared.contains(Variable) && !isOwn(*Variable))
      return problem(Diag::KernelSharedWrite, Target->getBeginLoc(), {Variable->getNameAsString()});
    const auto *Parameter = Variable ? nullptr : dyn_cast_or_null<ParmVarDecl>(rootOf(Target));
    unsigned Index = Parameter ? Parameter->getFunctionScopeIndex() : 0;
    if (Parameter && Index < Built.Model.Parameters.size() && (Built.Model.Parameters[Index].Access & STREAMAP_REDUCTION))
      return problem(Diag::KernelSharedWrite, Target->getBeginLoc(), {Parameter->getNameAsString()});
  }
  return true;
}

/// Whether each thread has a \p Variable of its own.
bool LoopKernel::isOwn(const VarDecl &Variable) const {
  return llvm::any_of(Loops, [&](const SplitLoop &Loop) { return Loop.Index == &Variable; }) ||
         llvm::any_of(Privates, [&](const PrivateVariable &Private) { return Private.Variable == &Variable; }) ||
         llvm::any_of(Reductions, [&](const LoopReduction &Reduction) { return Reduction.Variable == &Variable; });
}

bool LoopKernel::readLoops() {
  const Stmt *S = Directive.getRawStmt();
  for (unsigned Depth = 0; Depth < Directive.getLoopsNumber(); ++Depth) {
    S = withoutBraces(S);
    const auto *For = dyn_cast_or_null<ForStmt>(S);
    if (!For)
      return problem(Diag::KernelLoopForm, S ? S->getBeginLoc() : Directive.getBeginLoc(),
                     {Depth == 0 ? "it is no for loop" : "statements stand between the collapsed loops"});
    std::optional<SplitLoop> Loop = readLoop(*For);
    QualType Type = Loop ? Loop->Index->getType() : QualType();
    if (!Loop || Type->isBooleanType() || Type->isEnumeralType() || Context.getTypeSize(Type) > 64)
      return problem(Diag::KernelLoopForm, For->getBeginLoc(), {"its index is no integer"});
    if (!checkBounds(*Loop, Depth))
      return false;
    Loops.push_back(*Loop);
    S = For->getBody();
  }
  return true;
}

bool LoopKernel::checkBounds(const SplitLoop &Loop, size_t) {
  VariableSet Outer;
  for (const SplitLoop &Before : Loops)
    Outer.insert(Before.Index);
  for (const Expr *E : {Loop.First, Loop.Bound, Loop.Step}) {
    if (!E)
      continue;
    if (touchesDevice(E, OnDevice))
      return problem(Diag::KernelHostCondition, E->getBeginLoc());
    struct Mentions : RecursiveASTVisitor<Mentions> {
      const VariableSet *Of = nullptr;
      bool Found = false;
      bool VisitDeclRefExpr(DeclRefExpr *Reference) {
        const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
        Found |= Variable && Of->contains(Variable);
        return !Found;
      }
    } M;
    M.Of = &Outer;
    M.TraverseStmt(const_cast<Expr *>(E));
    if (M.Found)
      return problem(Diag::KernelLoopForm, E->getBeginLoc(), {"its bounds depend on another index of the collapsed loops"});
  }
  return true;
}

const VarDecl *LoopKernel::variableOf(const Expr *E) {
  const auto *Reference = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
}

void LoopKernel::addPrivate(const Expr *E, bool First, bool Last) {
  const VarDecl *Variable = variableOf(E);
  if (!Variable || llvm::any_of(Loops, [&](const SplitLoop &Loop) { return Loop.Index == Variable; }))
    return; // an index is private anyhow
  for (PrivateVariable &Known : Privates)
    if (Known.Variable == Variable) {
      Known.First |= First;
      Known.Last |= Last;
      return;
    }
  Privates.push_back({Variable, First, Last});
}

bool LoopKernel::addReduction(const Expr *E, std::string Operator) {
  llvm::StringRef Word = Operator;
  Word.consume_front("operator");
  const VarDecl *Variable = variableOf(E);
  if (!Variable || !Variable->getType()->isArithmeticType() || Variable->getType()->isAnyComplexType() ||
      !isReductionOperator(Word.str()))
    return problem(Diag::KernelReduction, E->getBeginLoc());
  LoopReduction Reduction{Variable, Word.str()};
  if (!Reductions.empty())
    Reduction.Offset =
        (Reductions.back().Offset + Reductions.back().Bytes + PartialAlignment - 1) / PartialAlignment * PartialAlignment;
  Reduction.Bytes = STREAMAP_MOST_LANES * static_cast<uint64_t>(Context.getTypeSizeInChars(Variable->getType()).getQuantity());
  Reductions.push_back(Reduction);
  return true;
}

bool LoopKernel::readClauses() {
  for (const OMPClause *Clause : Directive.clauses()) {
    if (const auto *Reduction = dyn_cast<OMPReductionClause>(Clause)) {
      for (const Expr *E : Reduction->varlists())
        if (!addReduction(E, Reduction->getNameInfo().getAsString()))
          return false;
    } else if (const auto *Private = dyn_cast<OMPPrivateClause>(Clause)) {
      for (const Expr *E : Private->varlists())
        addPrivate(E, false, false);
    } else if (const auto *First = dyn_cast<OMPFirstprivateClause>(Clause)) {
      for (const Expr *E : First->varlists())
        addPrivate(E, true, false);
    } else if (const auto *Last = dyn_cast<OMPLastprivateClause>(Clause)) {
      for (const Expr *E : Last->varlists())
        addPrivate(E, false, true);
    } else if (isa<OMPLinearClause, OMPOrderedClause, OMPInReductionClause, OMPCopyinClause, OMPDependClause>(Clause)) {
      return problem(Diag::KernelClause, Clause->getBeginLoc(), {llvm::omp::getOpenMPClauseName(Clause->getClauseKind()).str()});
    }
  }
  return true;
}

//===--- The host's side ----------------------------------------------------===//

std::string LoopKernel::ranges() {
  std::string Text, Total;
  for (size_t I = 0; I < Loops.size(); ++I) {
    const SplitLoop &Loop = Loops[I];
    bool IsSplit = llvm::any_of(Built.Loops.Loops, [&](const SplitLoop &Split) { return Split.Loop == Loop.Loop; });
    std::string Step = Loop.Step ? "(streamap_int)(" + hostText(Loop.Step) + ")" : "1";
    Text += "const streamap_range " + at("range", I) + " = streamap_loop_range((streamap_int)(" + hostText(Loop.First) +
            "), (streamap_int)(" + hostText(Loop.Bound) + "), " + (Loop.StepDown ? "-" : "") + Step + ", " +
            std::to_string(Loop.Relation) + ", " + (IsSplit ? "streamap_part" : "streamap_whole") + "); ";
    Total += (I ? " * " : "") + at("range", I) + ".streamap_count";
  }
  Text += "const streamap_uint streamap_total = " + Total + "; ";
  if (!Reductions.empty())
    Text += "const streamap_cut streamap_cut_ = streamap_cut_of(streamap_total); ";
  return Text;
}

void LoopKernel::writeRanges(KernelParts &Parts) {
  for (size_t I = 0; I < Loops.size(); ++I) {
    Parts.argument("streamap_int " + at("first", I), at("first", I), 8, "&" + at("range", I) + ".streamap_first");
    Parts.argument("streamap_int " + at("step", I), at("step", I), 8, "&" + at("range", I) + ".streamap_step");
    if (I > 0)
      Parts.argument("streamap_uint " + at("count", I), at("count", I), 8, "&" + at("range", I) + ".streamap_count");
  }
  Parts.argument("streamap_uint streamap_total", "streamap_total", 8, "&streamap_total");
  if (!Reductions.empty())
    for (const char *Name : {"streamap_lanes", "streamap_width", "streamap_length"})
      Parts.argument(std::string("streamap_uint ") + Name, Name, 8, std::string("&streamap_cut_.") + Name);
  Parts.Iterations = Reductions.empty() ? "streamap_total" : "streamap_cut_.streamap_lanes";
}

//===--- The kernel ---------------------------------------------------------===//

void LoopKernel::writeIndices(std::string &Before, KernelParts &Parts) {
  std::string Rest = "streamap_t";
  if (Loops.size() > 1)
    Before += "streamap_uint streamap_rest = streamap_t;\n";
  for (size_t I = Loops.size(); I-- > 0;) {
    std::string Number = Loops.size() == 1 ? "streamap_t" : I == 0 ? "streamap_rest" : "(streamap_rest % " + at("count", I) + ")";
    std::string Type = Parts.typed(Loops[I].Index->getType().getCanonicalType().getUnqualifiedType(), "");
    Before += Type + " " + Loops[I].Index->getNameAsString() + " = (" + Type + ")(" + at("first", I) + " + (streamap_int)" +
              Number + " * " + at("step", I) + ");\n";
    if (I > 0)
      Before += "streamap_rest /= " + at("count", I) + ";\n";
  }
}

void LoopKernel::writePrivates(std::string &Before, std::string &After, KernelParts &Parts) {
  for (const PrivateVariable &Private : Privates) {
    const VarDecl &Variable = *Private.Variable;
    std::string Name = Variable.getNameAsString(), Given = "streamap_given_" + Name;
    if (pointsToVariableArray(Variable.getType())) {
      if (!Private.First || Private.Last)
        problem(Diag::KernelVariableArray, Variable.getLocation());
      continue; // taken as any other value
    }
    Parts.own(&Variable);
    bool IsArray = Variable.getType()->isConstantArrayType();
    Before += Parts.declared(Variable, Name) + ";\n";
    if (Private.First) {
      // A copy for each iteration: what another iteration made of it is nobody's business.
      std::string From = "&" + Given;
      if (OnDevice.contains(&Variable))
        From = Parts.argumentOnDevice(Variable);
      else
        Parts.argumentByValue(Variable, Given);
      Before += IsArray || Variable.getType()->isRecordType() || !OnDevice.contains(&Variable)
                    ? "__builtin_memcpy(&" + Name + ", " + From + ", sizeof " + Name + ");\n"
                    : Name + " = *" + From + ";\n";
    }
    if (Private.Last)
      After += " if (streamap_t == streamap_total - 1) __builtin_memcpy(" + Parts.argumentOnDevice(Variable) + ", &" + Name +
               ", sizeof " + Name + ");";
  }
}

/// Loops over the split variable inside of the kernel run their part of the chunk.
void LoopKernel::replaceInnerSplit(KernelParts &Parts) {
  struct Finder : RecursiveASTVisitor<Finder> {
    llvm::DenseSet<const ForStmt *> Found;
    bool VisitForStmt(ForStmt *For) {
      Found.insert(For);
      return true;
    }
  } F;
  F.TraverseStmt(const_cast<Stmt *>(Loops.back().Loop->getBody()));
  for (size_t I = 0; I < Built.Loops.Loops.size(); ++I) {
    const SplitLoop &Split = Built.Loops.Loops[I];
    if (!F.Found.contains(Split.Loop))
      continue;
    std::string First = at("chunk_first", I), Bound = at("chunk_bound", I);
    Parts.Setup += "const streamap_int " + First + " = " + emitLoopFirst(Built.Model.Loops[I], "streamap_int") +
                   "; const streamap_int " + Bound + " = " + emitLoopBound(Built.Model.Loops[I], "streamap_int") + "; ";
    Parts.argument("streamap_int " + First, First, 8, "&" + First);
    Parts.argument("streamap_int " + Bound, Bound, 8, "&" + Bound);
    std::string Type = "(" + Parts.typed(Split.Index->getType().getCanonicalType().getUnqualifiedType(), "") + ")";
    Parts.Text.replace(Split.First, Type + First);
    Parts.Text.replace(Split.Bound, Type + Bound);
  }
}

void LoopKernel::write(KernelParts &Parts) {
  const Stmt *Body = Loops.back().Loop->getBody();
  std::string Inside, Behind, Open, Close = "}";
  writeRanges(Parts);
  for (const SplitLoop &Loop : Loops)
    Parts.own(Loop.Index);
  for (const LoopReduction &Reduction : Reductions)
    Parts.own(Reduction.Variable);
  writeIndices(Inside, Parts);
  writePrivates(Inside, Behind, Parts);
  replaceInnerSplit(Parts);
  Parts.take(Body);
  if (Reductions.empty()) {
    Open = "for (streamap_uint streamap_t = STREAMAP_THREAD; streamap_t < streamap_total; streamap_t += STREAMAP_THREADS) {\n";
  } else {
    Open = "for (streamap_uint streamap_lane = STREAMAP_THREAD; streamap_lane < streamap_lanes; streamap_lane += "
           "STREAMAP_THREADS) {\n";
    for (const LoopReduction &Reduction : Reductions) {
      const VarDecl &Variable = *Reduction.Variable;
      std::string Name = Variable.getNameAsString(), Partial = "streamap_partial_" + Name;
      Parts.Setup += "void *const " + Partial + " = (char *)streamap_partials + " + std::to_string(Reduction.Offset) + "; ";
      Parts.argument(Parts.declared(Variable, "*" + Partial), Partial, 8, "&" + Partial);
      Open += Parts.declared(Variable, Name) + " = " + neutralElement(Context, Variable.getType(), Reduction.Operator) + ";\n";
      Close += " " + Partial + "[streamap_lane] = " + Name + ";";
    }
    Open +=
        "const streamap_uint streamap_from = streamap_lane / streamap_width * streamap_length;\n"
        "const streamap_uint streamap_end = streamap_from + streamap_length < streamap_total ? streamap_from + streamap_length : "
        "streamap_total;\n"
        "for (streamap_uint streamap_t = streamap_from + streamap_lane % streamap_width; streamap_t < streamap_end; streamap_t "
        "+= "
        "streamap_width) {\n";
    Close += " }";
  }
  Parts.Kernel.Before += Open + Inside + (Behind.empty() ? "" : "do");
  Parts.placeBody(Body);
  std::string Text = Parts.Text.statement(Body);
  // `continue` ends the iteration, not what is behind it.
  if (!Behind.empty())
    Text = "{ " + Text + " } while (0);";
  Parts.Kernel.Body = Text;
  Parts.Kernel.After = Behind + Close;
}

void LoopKernel::writeCombination(const LoopReduction &Reduction, KernelParts &Parts) {
  const VarDecl &Variable = *Reduction.Variable;
  std::string Partial = "streamap_partial_" + Variable.getNameAsString();
  std::string Type = Parts.declared(Variable, "");
  Parts.Kernel.Barriers = true;
  Parts.Setup = "void *const " + Partial + " = (char *)streamap_partials + " + std::to_string(Reduction.Offset) + "; ";
  Parts.argument("streamap_uint streamap_lanes", "streamap_lanes", 8, "&streamap_cut_.streamap_lanes");
  Parts.argument(Parts.declared(Variable, "*" + Partial), Partial, 8, "&" + Partial);
  std::string Place = "*" + Parts.argumentOnDevice(Variable);
  auto cell = [&](const char *Index) { return Partial + "[" + Index + "]"; };
  Parts.Kernel.Before = "if (!STREAMAP_FIRST_BLOCK) return;";
  Parts.Kernel.Body = "for (streamap_uint streamap_half = streamap_lanes / 2; streamap_half > 0; streamap_half /= 2) {\n"
                      "for (streamap_uint streamap_l = STREAMAP_BLOCK_THREAD; streamap_l < streamap_half; streamap_l += "
                      "STREAMAP_BLOCK_THREADS) " +
                      cell("streamap_l") + " = (" + Type + ")" +
                      combination(Reduction.Operator, cell("streamap_l"), cell("streamap_l + streamap_half")) +
                      ";\nSTREAMAP_BARRIER();\n}\nif (STREAMAP_BLOCK_THREAD == 0) " + Place + " = (" + Type + ")" +
                      combination(Reduction.Operator, Place, cell("0")) + ";";
  Parts.Iterations = "streamap_cut_.streamap_lanes < 256 ? streamap_cut_.streamap_lanes : 256";
}

} // namespace streamap
