//===- DeviceSlice.h - What kernels need of the rest of a source -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host twin of a kernel stands in the user's own source. A device's text
// stands alone: types, enumerations, constants and functions that the kernels
// mention come along, and nothing else, so that a device compiler needs no
// header of the program.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_DEVICESLICE_H
#define STREAMAP_KERNEL_DEVICESLICE_H

#include "kernel/DeviceSource.h"
#include "kernel/KernelText.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <string>
#include <vector>

namespace clang {
class Decl;
class FunctionDecl;
class NamedDecl;
class TagDecl;
class TypedefNameDecl;
} // namespace clang

namespace streamap {

/// Declarations of one translation unit for all of its kernels.
class DeviceSlice {
public:
  DeviceSlice(const clang::ASTContext &Context, const TokenStream &Stream) : Context(Context), Stream(Stream) {}

  /// Takes in what \p S mentions and, in \p Locals, the text of declarations of
  /// the enclosing function that it needs. Adds to \p Problems what no device
  /// can run.
  void need(const clang::Stmt *S, std::string &Locals, std::vector<KernelProblem> &Problems);

  /// Takes in what \p Type is made of; it stands in a kernel's parameter list.
  void needType(clang::QualType Type, clang::SourceLocation Use, std::vector<KernelProblem> &Problems);

  /// Forgets what was taken in after mark(), for a task that becomes none.
  struct Mark {
    size_t Types = 0, Constants = 0, Functions = 0, Library = 0;
  };
  Mark mark() const { return {Types.size(), Constants.size(), Functions.size(), Library.size()}; }
  void forget(const Mark &Before);

  /// The declarations, for a device.
  std::string text();
  /// Functions of the C library that are called.
  std::vector<LibraryUse> library() const;

private:
  class Finder;
  void useDecl(const clang::NamedDecl *D, clang::SourceLocation Use);
  void useFunction(const clang::FunctionDecl &Function, clang::SourceLocation Use);
  void useVariable(const clang::VarDecl &Variable, clang::SourceLocation Use);
  void useType(const clang::NamedDecl &Declaration);
  bool isLocal(const clang::Decl &D) const;
  std::string sizeCheck(const clang::NamedDecl &Declaration, clang::QualType Type, const std::string &Name) const;
  std::string typeText(const clang::NamedDecl &Declaration) const;
  std::string tagText(const clang::TagDecl &Tag) const;
  std::string constantText(const clang::VarDecl &Variable);
  std::string functionText(const clang::FunctionDecl &Function, bool WithBody);
  std::string typed(clang::QualType Type, const std::string &Name) const;
  bool isSystem(const clang::Decl &D) const;

  const clang::ASTContext &Context;
  const TokenStream &Stream;
  llvm::SetVector<const clang::NamedDecl *> Types;
  llvm::SetVector<const clang::VarDecl *> Constants;
  llvm::SetVector<const clang::FunctionDecl *> Functions;
  llvm::SetVector<const clang::FunctionDecl *> Library;
  llvm::SmallVector<const clang::FunctionDecl *, 8> Active; ///< whose bodies are being looked through
  // Of the call of need() that is running.
  std::vector<KernelProblem> *Problems = nullptr;
  llvm::DenseSet<const clang::Decl *> Inside;
  llvm::SetVector<const clang::NamedDecl *> Locals;
};

/// Words that C++ keeps for itself and \p Text uses as names, as #defines that rename them.
std::string renameKeywords(const std::string &Text);

} // namespace streamap

#endif
