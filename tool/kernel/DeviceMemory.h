//===- DeviceMemory.h - Which statements need the device's memory -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a G version, what pointers point to is on the device. A statement between
// the loops that only computes with variables of the body runs on the host;
// one that reads or writes memory runs on the device, and so does all that
// depends on what it wrote.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_DEVICEMEMORY_H
#define STREAMAP_KERNEL_DEVICEMEMORY_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace clang {
class Expr;
class OMPLoopDirective;
class Stmt;
class VarDecl;
} // namespace clang

namespace streamap {

using VariableSet = llvm::SetVector<const clang::VarDecl *>;

/// \p S as a directive whose loop becomes a kernel; null if it is none.
const clang::OMPLoopDirective *asKernelLoop(const clang::Stmt *S);

/// Whether a loop that becomes a kernel is in \p S.
bool holdsKernelLoop(const clang::Stmt *S);

/// The variable whose own storage the lvalue \p E is part of; null: memory that a pointer leads to.
const clang::VarDecl *storageOf(const clang::Expr *E);

/// Calls \p Do for each variable of the body whose storage \p S changes and that is declared outside of it.
void forEachWritten(const clang::Stmt *S, llvm::function_ref<void(const clang::VarDecl *)> Do);

/// Whether \p S, evaluated, reads or writes memory through a pointer or mentions one of \p OnDevice.
bool touchesDevice(const clang::Stmt *S, const VariableSet &OnDevice);

/// A call in \p S that is given an address; null if there is none.
const clang::Expr *callWithAddress(const clang::Stmt *S);

/// Whether \p S has a loop.
bool holdsLoop(const clang::Stmt *S);

/// Whether \p S may leave itself by a jump.
bool holdsJump(const clang::Stmt *S);

/// The variables of a body that live on the device: what loops combine or leave behind, what statements on the device
/// write.
VariableSet findDeviceVariables(const clang::Stmt *Body);

} // namespace streamap

#endif
