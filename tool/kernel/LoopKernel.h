//===- LoopKernel.h - An OpenMP loop as a kernel ----------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host computes each loop's first value, step and count, where it takes a
// task's chunk into account as the C version does; the kernel numbers the
// iterations and strides over them.
//
// A reduction is cut into lanes (streamap_cut), whose number depends on the
// number of iterations alone; each adds up its iterations in order, and a binary
// tree over the lanes gives the result. So it does not depend on how many
// threads a device has.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_LOOPKERNEL_H
#define STREAMAP_KERNEL_LOOPKERNEL_H

#include "frontend/BuildTask.h"
#include "kernel/KernelParts.h"

namespace streamap {

/// One variable of a reduction clause.
struct LoopReduction {
  const clang::VarDecl *Variable = nullptr;
  std::string Operator;           ///< "+", "max", ...
  uint64_t Offset = 0, Bytes = 0; ///< of its partial results
};

class LoopKernel {
public:
  LoopKernel(const clang::OMPLoopDirective &Directive, const BuiltTask &Built, const clang::ASTContext &Context,
             const TokenStream &Stream, const VariableSet &OnDevice, std::vector<KernelProblem> &Problems)
      : Directive(Directive), Built(Built), Context(Context), Stream(Stream), OnDevice(OnDevice), Problems(Problems) {}

  /// Takes the directive apart; false if it cannot be a kernel, which has been noted.
  bool read();

  const clang::Stmt *outermost() const;
  const std::vector<LoopReduction> &reductions() const { return Reductions; }

  /// Host declarations: a range for each loop, the number of iterations, of lanes.
  std::string ranges();
  void write(KernelParts &Parts);
  void writeCombination(const LoopReduction &Reduction, KernelParts &Parts);

private:
  struct PrivateVariable {
    const clang::VarDecl *Variable;
    bool First, Last; ///< begins as the one outside; the last iteration's value is kept
  };
  bool readClauses();
  bool readLoops();
  bool checkWrites();
  bool isOwn(const clang::VarDecl &Variable) const;
  bool checkBounds(const SplitLoop &Loop, size_t Depth);
  bool addReduction(const clang::Expr *E, std::string Operator);
  void addPrivate(const clang::Expr *E, bool First, bool Last);
  const clang::VarDecl *variableOf(const clang::Expr *E);
  void writeRanges(KernelParts &Parts);
  void writeIndices(std::string &Before, KernelParts &Parts);
  void writePrivates(std::string &Before, std::string &After, KernelParts &Parts);
  void replaceInnerSplit(KernelParts &Parts);
  bool problem(Diag Id, clang::SourceLocation Loc, std::vector<std::string> Arguments = {});
  std::string hostText(const clang::Expr *E) const;

  const clang::OMPLoopDirective &Directive;
  const BuiltTask &Built;
  const clang::ASTContext &Context;
  const TokenStream &Stream;
  const VariableSet &OnDevice;
  std::vector<KernelProblem> &Problems;
  std::vector<SplitLoop> Loops; ///< outermost first
  std::vector<PrivateVariable> Privates;
  std::vector<LoopReduction> Reductions;
};

} // namespace streamap

#endif
