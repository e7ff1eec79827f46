//===- BuildKernels.cpp - From a task's body to its G version -------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/BuildKernels.h"
#include "emit/EmitTask.h"
#include "kernel/KernelParts.h"
#include "kernel/LoopKernel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace streamap {

namespace {

/// Alignment of each variable on the device, and of the partial results.
constexpr uint64_t SlotAlignment = 16, PartialAlignment = 256;

class KernelBuilder {
public:
  KernelBuilder(const FunctionDecl &Task, const BuiltTask &Built, const TokenStream &Stream, DeviceSlice &Slice)
      : Task(Task), Built(Built), Context(Task.getASTContext()), Stream(Stream), Slice(Slice), Host(Context, Stream, Problems),
        OnDevice(findDeviceVariables(Task.getBody())) {}

  std::vector<KernelProblem> Problems;

  GVersion run() {
    const Stmt *Body = Task.getBody();
    if (!holdsKernelLoop(Body)) {
      Host.problem(Diag::KernelNoLoop, Task.getLocation(), {Built.Model.Name});
      return {};
    }
    std::string Opening = openBody();
    walk(Body);
    std::optional<std::pair<size_t, size_t>> Range = Stream.indices(Body->getSourceRange());
    if (!Range) {
      Host.problem(Diag::KernelMacro, Task.getLocation());
      return {};
    }
    std::string Text = Host.tokens(Range->first, Range->second, Replaced);
    std::string Slots;
    uint64_t Used = 0;
    for (const VarDecl *Variable : OnDevice) {
      Used = (Used + SlotAlignment - 1) / SlotAlignment * SlotAlignment;
      Slots += "void *const " + slotName(OnDevice, *Variable) + " = (char *)streamap_device_scratch(streamap_to) + " +
               std::to_string(Used) + "; (void)" + slotName(OnDevice, *Variable) + "; ";
      Used += Context.getTypeSizeInChars(Variable->getType()).getQuantity();
    }
    if (PartialBytes > 0) {
      Used = (Used + PartialAlignment - 1) / PartialAlignment * PartialAlignment;
      Slots += "void *const streamap_partials = (char *)streamap_device_scratch(streamap_to) + " + std::to_string(Used) + "; ";
      Used += PartialBytes;
    }
    Result.Scratch = Used;
    Result.RunText = "{ const streamap_chunk streamap_part = streamap_current_chunk(); const streamap_chunk streamap_whole = "
                     "{(-__INT64_MAX__ - 1), "
                     "__INT64_MAX__}; (void)streamap_part; (void)streamap_whole; (void)streamap_to; " +
                     Slots + Opening + Text + " }";
    return std::move(Result);
  }

private:
  std::string kernelName() const { return "streamap_kernel_" + Built.Model.Id + "_" + std::to_string(Result.Kernels.size()); }

  KernelParts newKernel() { return KernelParts(Context, Stream, OnDevice, Slice, Problems, kernelName()); }

  /// Adds \p Parts and gives the host text that launches it.
  std::string finish(KernelParts &Parts, SourceLocation Loc) {
    std::string Launch = Parts.launch(Result.Kernels.size(), Loc);
    Result.Kernels.push_back(std::move(Parts.Kernel));
    return Launch;
  }

  void replace(const Stmt *S, std::string Text) {
    if (std::optional<std::pair<size_t, size_t>> Range = Stream.indices(S->getSourceRange()))
      Replaced[Range->first] = {Range->second, std::move(Text)};
    else
      Host.problem(Diag::KernelMacro, S->getBeginLoc());
  }

  //===--- Statements -----------------------------------------------------===//

  /// By-value parameters that loops change begin with what the call gave them.
  std::string openBody() {
    std::string Text;
    for (const ParmVarDecl *Parameter : Task.parameters())
      if (OnDevice.contains(Parameter)) {
        KernelParts Parts = newKernel();
        Parts.argumentByValue(*Parameter, "streamap_given");
        Parts.Kernel.Body = "*" + Parts.argumentOnDevice(*Parameter) + " = streamap_given;";
        Text += single(Parts, Parameter->getLocation());
      }
    return Text;
  }

  /// A kernel that one thread runs.
  std::string single(KernelParts &Parts, SourceLocation Loc) {
    Parts.Kernel.Before += "if (STREAMAP_THREAD == 0) {";
    Parts.Kernel.After = "}";
    Parts.Iterations = "1";
    return finish(Parts, Loc);
  }

  void walk(const Stmt *S) {
    if (!S)
      return;
    if (const OMPLoopDirective *Loop = asKernelLoop(S))
      return addLoop(*Loop);
    if (const auto *Directive = dyn_cast<OMPExecutableDirective>(S))
      return walkDirective(*Directive);
    if (const auto *Declaration = dyn_cast<DeclStmt>(S))
      return walkDeclaration(*Declaration);
    if (isa<Expr>(S))
      return walkLeaf(S);
    if (const auto *If = dyn_cast<IfStmt>(S); If && touchesDevice(If->getCond(), OnDevice) && !holdsKernelLoop(If))
      return walkLeaf(S);
    walkControl(S);
  }

  void walkDirective(const OMPExecutableDirective &Directive) {
    const Stmt *Inner = Directive.hasAssociatedStmt() ? Directive.getRawStmt() : nullptr;
    if (Inner && (touchesDevice(Inner, OnDevice) || holdsKernelLoop(Inner)))
      Host.problem(Diag::KernelDirective, Directive.getBeginLoc(),
                   {llvm::omp::getOpenMPDirectiveName(Directive.getDirectiveKind()).str()});
  }

  /// An expression statement, or an `if` that depends on the device.
  void walkLeaf(const Stmt *S) {
    if (const Expr *Call = callWithAddress(S))
      return Host.problem(Diag::KernelHostCall, Call->getBeginLoc());
    if (!touchesDevice(S, OnDevice))
      return;
    if (const auto *If = dyn_cast<IfStmt>(S); If && holdsJump(If))
      return Host.problem(Diag::KernelHostCondition, If->getCond()->getBeginLoc());
    if (holdsLoop(S))
      return Host.problem(Diag::KernelHostLoop, S->getBeginLoc());
    KernelParts Parts = newKernel();
    Parts.take(S);
    Parts.placeBody(S);
    Parts.Kernel.Body = Parts.Text.statement(S);
    if (isa<Expr>(S))
      Parts.Kernel.Body += Parts.Kernel.Body.ends_with(";") ? "" : ";";
    replace(S, single(Parts, S->getBeginLoc()));
  }

  void walkDeclaration(const DeclStmt &Declaration) {
    bool Any = llvm::any_of(Declaration.decls(), [&](const Decl *D) {
      const auto *Variable = dyn_cast<VarDecl>(D);
      return Variable && OnDevice.contains(Variable);
    });
    std::string Text;
    for (const Decl *D : Declaration.decls()) {
      const auto *Variable = dyn_cast<VarDecl>(D);
      if (!Variable)
        continue;
      const Expr *Initializer = Variable->getInit();
      if (Initializer)
        if (const Expr *Call = callWithAddress(Initializer))
          Host.problem(Diag::KernelHostCall, Call->getBeginLoc());
      if (OnDevice.contains(Variable))
        Text += initialise(*Variable);
      else if (Any)
        Text += declaredText(*Variable);
    }
    if (Any)
      replace(&Declaration, Text + ";");
  }

  std::string declaredText(const VarDecl &Variable) {
    std::string Text = Variable.getNameAsString();
    Variable.getType().getAsStringInternal(Text, Context.getPrintingPolicy());
    if (const Expr *Initializer = Variable.getInit())
      Text += " = " + hostText(Initializer);
    return Text + "; ";
  }

  std::string hostText(const Expr *E) const {
    std::optional<std::pair<size_t, size_t>> Range = Stream.indices(E->getSourceRange());
    return Range ? Stream.text(Range->first, Range->second) : "0";
  }

  std::string initialise(const VarDecl &Variable) {
    const Expr *Initializer = Variable.getInit();
    if (!Initializer)
      return "";
    KernelParts Parts = newKernel();
    Parts.take(Initializer);
    Parts.placeBody(Initializer);
    std::string Value = Parts.Text.expression(Initializer);
    std::string Place = Parts.argumentOnDevice(Variable);
    if (isa<InitListExpr>(Initializer)) {
      // An array cannot be assigned; a copy of one that is declared can.
      Parts.Kernel.Body = Parts.declared(Variable, "streamap_begin") + " = " + Value + "; __builtin_memcpy(" + Place +
                          ", &streamap_begin, sizeof streamap_begin);";
    } else {
      Parts.Kernel.Body = "*" + Place + " = " + Value + ";";
    }
    return single(Parts, Variable.getLocation());
  }

  void walkControl(const Stmt *S) {
    bool IsLoop = isa<ForStmt>(S) || isa<WhileStmt>(S) || isa<DoStmt>(S);
    if (IsLoop && !holdsKernelLoop(S) && touchesDevice(S, OnDevice))
      return Host.problem(Diag::KernelHostLoop, S->getBeginLoc());
    const auto *For = dyn_cast<ForStmt>(S);
    for (size_t I = 0; For && I < Built.Loops.Loops.size(); ++I)
      if (Built.Loops.Loops[I].Loop == For)
        cutHostLoop(Built.Loops.Loops[I], Built.Model.Loops[I]);
    for (const Stmt *Child : S->children()) {
      const auto *E = dyn_cast_or_null<Expr>(Child);
      if (E && (IsLoop || isa<IfStmt>(S) || isa<SwitchStmt>(S)) && E->getType().getTypePtrOrNull() && isControl(S, E)) {
        if (touchesDevice(E, OnDevice))
          Host.problem(Diag::KernelHostCondition, E->getBeginLoc());
        continue;
      }
      walk(Child);
    }
  }

  /// Whether \p E decides how \p S goes on, as opposed to being its body.
  static bool isControl(const Stmt *S, const Expr *E) {
    if (const auto *For = dyn_cast<ForStmt>(S))
      return E != For->getBody();
    if (const auto *While = dyn_cast<WhileStmt>(S))
      return E == While->getCond();
    if (const auto *Do = dyn_cast<DoStmt>(S))
      return E == Do->getCond();
    if (const auto *If = dyn_cast<IfStmt>(S))
      return E == If->getCond();
    if (const auto *Switch = dyn_cast<SwitchStmt>(S))
      return E == Switch->getCond();
    return false;
  }

  /// A split loop that runs on the host, with kernels inside.
  void cutHostLoop(const SplitLoop &Loop, const SplitLoopModel &Model) {
    std::string Type = Loop.Index->getType().getCanonicalType().getUnqualifiedType().getAsString();
    replace(Loop.First, emitLoopFirst(Model, Type));
    replace(Loop.Bound, emitLoopBound(Model, Type));
  }

  //===--- Loops ----------------------------------------------------------===//

  void addLoop(const OMPLoopDirective &Directive) {
    KernelParts Parts = newKernel();
    LoopKernel Loop(Directive, Built, Context, Stream, OnDevice, Problems);
    if (!Loop.read())
      return;
    Loop.write(Parts);
    SourceLocation Loc = Directive.getBeginLoc();
    std::string Text = finish(Parts, Loc);
    uint64_t Bytes = 0;
    for (const LoopReduction &Reduction : Loop.reductions()) {
      KernelParts Combine = newKernel();
      Loop.writeCombination(Reduction, Combine);
      Text += " " + finish(Combine, Loc);
      Bytes = Reduction.Offset + Reduction.Bytes;
    }
    PartialBytes = std::max(PartialBytes, Bytes);
    replace(Loop.outermost(), "{ " + Loop.ranges() + Text + " }");
  }

  const FunctionDecl &Task;
  const BuiltTask &Built;
  const ASTContext &Context;
  const TokenStream &Stream;
  DeviceSlice &Slice;
  KernelText Host;
  VariableSet OnDevice;
  TokenStream::Replacements Replaced;
  uint64_t PartialBytes = 0;
  GVersion Result;
};

} // namespace

GVersion buildKernels(const FunctionDecl &Definition, const BuiltTask &Task, SourceLocation Pragma, const TokenStream &Stream,
                      DeviceSlice &Slice, Reporter &Report) {
  bool AnyG = false, AnyC = false;
  for (const ItemModel &Item : Task.Model.Items)
    (Item.Kind == ResourceKind::G ? AnyG : AnyC) = true;
  if (!AnyG && AnyC)
    return {};
  if (Task.Model.Shape != TaskShape::C) {
    if (AnyG)
      Report.report(Diag::KernelCXX, Definition.getLocation(), {Task.Model.Name});
    if (AnyG && !AnyC)
      Report.report(Diag::NoGVersion, Pragma, {Task.Model.Name});
    return {};
  }
  DeviceSlice::Mark Before = Slice.mark();
  KernelBuilder Builder(Definition, Task, Stream, Slice);
  GVersion Version = Builder.run();
  if (Builder.Problems.empty())
    return Version;
  Slice.forget(Before);
  if (!AnyG)
    return {}; // nobody asked
  llvm::DenseSet<std::pair<unsigned, SourceLocation>> Told;
  for (const KernelProblem &Problem : Builder.Problems)
    if (Told.insert({static_cast<unsigned>(Problem.Id), Problem.Loc}).second)
      Report.report(Problem.Id, Problem.Loc, Problem.Arguments);
  if (!AnyC)
    Report.report(Diag::NoGVersion, Pragma, {Task.Model.Name});
  return {};
}

} // namespace streamap
