//===- KernelParts.h - One kernel and how it is launched --------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_KERNELPARTS_H
#define STREAMAP_KERNEL_KERNELPARTS_H

#include "kernel/DeviceMemory.h"
#include "kernel/DeviceSlice.h"
#include "kernel/KernelModel.h"

namespace streamap {

/// A kernel in the making: what it takes from the body around it becomes its
/// arguments.
class KernelParts {
public:
  KernelParts(const clang::ASTContext &Context, const TokenStream &Stream, const VariableSet &OnDevice, DeviceSlice &Slice,
              std::vector<KernelProblem> &Problems, std::string Name);

  KernelModel Kernel;
  KernelText Text;
  std::string Setup;      ///< host statements in front of the launch, in its block
  std::string Iterations; ///< host expression

  /// \p Variable is the kernel's own: no argument.
  void own(const clang::VarDecl *Variable) { Own.insert(Variable); }
  /// Takes what \p S mentions and declares not itself, and all it needs of the source.
  void take(const clang::Stmt *S);
  /// One argument, of the type and value that \p Declared and \p Value say.
  void argument(std::string Declared, std::string Name, uint64_t Size, std::string Value, std::string Structure = {});
  /// \p Variable by value, under the name \p Name. References are left as they are.
  void argumentByValue(const clang::VarDecl &Variable, const std::string &Name);
  /// The address of \p Variable, which lives on the device, as `streamap_at_<name>`.
  std::string argumentOnDevice(const clang::VarDecl &Variable);
  /// `T name`, without qualifiers.
  std::string declared(const clang::VarDecl &Variable, const std::string &Name) const;
  std::string typed(clang::QualType Type, const std::string &Name) const;
  /// The host block that launches kernel \p Number; and checks the sizes.
  std::string launch(size_t Number, clang::SourceLocation Loc);
  void placeBody(const clang::Stmt *S);

private:
  void capture(const clang::VarDecl &Variable);

  const clang::ASTContext &Context;
  const VariableSet &OnDevice;
  DeviceSlice &Slice;
  std::vector<KernelProblem> &Problems;
  llvm::DenseSet<const clang::VarDecl *> Own, Captured;
  std::vector<std::string> Values; ///< addresses, one an argument
};

/// The variable of `run` that holds the address of \p Variable, one of \p OnDevice.
std::string slotName(const VariableSet &OnDevice, const clang::VarDecl &Variable);

} // namespace streamap

#endif
