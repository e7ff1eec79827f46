//===- KernelParts.cpp - One kernel and how it is launched ----------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/KernelParts.h"

#include "streamap/abi.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace streamap {

namespace {

/// Bytes of arguments that every CUDA driver takes.
constexpr uint64_t MostArgumentBytes = 4096;

/// The variables of a function that a text mentions, and those that it declares.
class LocalFinder : public RecursiveASTVisitor<LocalFinder> {
  using Base = RecursiveASTVisitor<LocalFinder>;

public:
  VariableSet Mentioned;
  llvm::DenseSet<const VarDecl *> Declared;

  bool TraverseStmt(Stmt *S) {
    if (auto *Directive = dyn_cast_or_null<OMPExecutableDirective>(S))
      return !Directive->hasAssociatedStmt() || TraverseStmt(Directive->getRawStmt());
    if (auto *Captured = dyn_cast_or_null<CapturedStmt>(S))
      return TraverseStmt(Captured->getCapturedStmt());
    return Base::TraverseStmt(S);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *Variable = dyn_cast<VarDecl>(E->getDecl());
    if (Variable && Variable->isLocalVarDeclOrParm() && !Variable->hasGlobalStorage())
      Mentioned.insert(Variable);
    return true;
  }
  bool VisitVarDecl(VarDecl *Variable) {
    Declared.insert(Variable);
    return true;
  }
};

} // namespace

std::string slotName(const VariableSet &OnDevice, const VarDecl &Variable) {
  // Two blocks may have a variable of one name each.
  auto At = std::find(OnDevice.begin(), OnDevice.end(), &Variable);
  return "streamap_slot_" + std::to_string(At - OnDevice.begin()) + "_" + Variable.getNameAsString();
}

KernelParts::KernelParts(const ASTContext &Context, const TokenStream &Stream, const VariableSet &OnDevice, DeviceSlice &Slice,
                         std::vector<KernelProblem> &Problems, std::string Name)
    : Text(Context, Stream, Problems), Context(Context), OnDevice(OnDevice), Slice(Slice), Problems(Problems) {
  Kernel.Name = std::move(Name);
}

std::string KernelParts::typed(QualType Type, const std::string &Name) const {
  std::string Result = Name;
  Type.getAsStringInternal(Result, Context.getPrintingPolicy());
  return Result;
}

std::string KernelParts::declared(const VarDecl &Variable, const std::string &Name) const {
  Qualifiers Ignored;
  return typed(Context.getUnqualifiedArrayType(Variable.getType(), Ignored), Name);
}

void KernelParts::argument(std::string Declared, std::string Name, uint64_t Size, std::string Value, std::string Structure) {
  Kernel.Arguments.push_back({std::move(Declared), std::move(Name), Size, std::move(Structure)});
  Values.push_back(std::move(Value));
}

void KernelParts::argumentByValue(const VarDecl &Variable, const std::string &Name) {
  QualType Type = Variable.getType();
  uint64_t Size = Context.getTypeSizeInChars(Type).getQuantity();
  std::string Address = "&" + Variable.getNameAsString();
  if (Type->isConstantArrayType()) {
    // An argument cannot be an array; a structure may have one.
    std::string Structure = "struct " + Kernel.Name + "_" + Variable.getNameAsString();
    argument(Structure + " " + Name, Name, Size, Address, Structure + " { " + declared(Variable, "streamap_a") + "; };");
    return;
  }
  if (!pointsToVariableArray(Type))
    return argument(declared(Variable, Name), Name, Size, Address);
  QualType Element = flatElement(Context, Type);
  argument(typed(Context.getPointerType(Element), Name), Name, Size, Address);
  std::string Pointed = Variable.getNameAsString();
  for (unsigned Level = 0; Level < flatLevels(Context, Type); ++Level) {
    Pointed = "*" + Pointed;
    std::string Stride = strideName(Variable, Level);
    Setup += "const streamap_int " + Stride + " = (streamap_int)(sizeof(" + Pointed + ") / sizeof(" + typed(Element, "") + ")); ";
    argument("streamap_int " + Stride, Stride, 8, "&" + Stride);
  }
}

std::string KernelParts::argumentOnDevice(const VarDecl &Variable) {
  std::string Name = "streamap_at_" + Variable.getNameAsString();
  if (Captured.insert(&Variable).second) {
    Qualifiers Ignored;
    QualType Type = Context.getUnqualifiedArrayType(Variable.getType(), Ignored);
    if (pointsToVariableArray(Type))
      Problems.push_back({Diag::KernelVariableArray, Variable.getLocation(), {}});
    Slice.needType(Type, Variable.getLocation(), Problems);
    argument(typed(Context.getPointerType(Type), Name), Name, 8, "&" + slotName(OnDevice, Variable));
  }
  return Name;
}

void KernelParts::capture(const VarDecl &Variable) {
  if (OnDevice.contains(&Variable)) {
    Text.replace(&Variable, "(*" + argumentOnDevice(Variable) + ")");
    return;
  }
  if (!Captured.insert(&Variable).second)
    return;
  Slice.needType(Variable.getType(), Variable.getLocation(), Problems);
  std::string Name = Variable.getNameAsString();
  if (Variable.getType()->isConstantArrayType()) {
    Name = "streamap_copy_" + Name;
    Text.replace(&Variable, Name + ".streamap_a");
  } else if (Variable.getType()->isVariableArrayType()) {
    Problems.push_back({Diag::KernelVariableArray, Variable.getLocation(), {}});
    return;
  }
  argumentByValue(Variable, Name);
}

void KernelParts::take(const Stmt *S) {
  LocalFinder Finder;
  Finder.TraverseStmt(const_cast<Stmt *>(S));
  for (const VarDecl *Variable : Finder.Mentioned)
    if (!Finder.Declared.contains(Variable) && !Own.contains(Variable))
      capture(*Variable);
  Slice.need(S, Kernel.Before, Problems);
}

void KernelParts::placeBody(const Stmt *S) {
  const SourceManager &Sources = Context.getSourceManager();
  PresumedLoc Place = Sources.getPresumedLoc(Sources.getExpansionLoc(S->getBeginLoc()));
  if (Place.isInvalid())
    return;
  Kernel.File = Place.getFilename();
  Kernel.Line = Place.getLine();
}

std::string KernelParts::launch(size_t Number, SourceLocation Loc) {
  if (Text.usesTaskIndex()) {
    Setup += std::string("const long ") + KernelText::TaskIndex + " = streamap_task_index(); ";
    argument(std::string("long ") + KernelText::TaskIndex, KernelText::TaskIndex, 8, std::string("&") + KernelText::TaskIndex);
  }
  if (Text.usesTaskCount()) {
    Setup += std::string("const long ") + KernelText::TaskCount + " = streamap_task_count(); ";
    argument(std::string("long ") + KernelText::TaskCount, KernelText::TaskCount, 8, std::string("&") + KernelText::TaskCount);
  }
  uint64_t Bytes = 0;
  std::string List;
  for (size_t I = 0; I < Values.size(); ++I) {
    Bytes += Kernel.Arguments[I].Size + 8; // with what alignment may add
    List += (I ? ", " : "") + ("(void *)" + Values[I]);
  }
  if (Values.size() > STREAMAP_MAX_KERNEL_ARGS || Bytes > MostArgumentBytes)
    Problems.push_back({Diag::KernelArguments, Loc, {std::to_string(Values.size()), std::to_string(Bytes)}});
  return "{ " + Setup + "void *const streamap_arguments[] = { " + (List.empty() ? "0" : List) +
         " }; streamap_device_launch(streamap_to, " + std::to_string(Number) + ", " + Iterations + ", streamap_arguments); }";
}

} // namespace streamap
