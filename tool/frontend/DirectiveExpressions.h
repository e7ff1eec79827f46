//===- DirectiveExpressions.h - What a directive evaluates ------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_DIRECTIVEEXPRESSIONS_H
#define STREAMAP_FRONTEND_DIRECTIVEEXPRESSIONS_H

#include "frontend/Binding.h"
#include "frontend/Probe.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace clang {
class VarDecl;
} // namespace clang

namespace streamap {

/// Calls \p Do(fragment, whether the split variable is in scope) for every
/// expression of \p D. Fragments may be empty.
void forEachExpression(const Directive &D, llvm::function_ref<void(Fragment, bool)> Do);

/// Adds every expression of \p D to \p P.
void addFragments(const Directive &D, Probe &P);

/// The split variable of \p D; empty if it has none.
std::string splitVariableOf(const Directive &D);

/// The variables in scope at \p Call whose names the expressions of its
/// directive mention though they are no parameter of \p Callee.
std::vector<const clang::VarDecl *> capturedVariables(const BoundCall &Call, const clang::FunctionDecl &Callee);

/// `T name`, for a captured variable as a parameter; arrays as pointers.
std::string declaredParameter(const clang::VarDecl &Variable, const std::string &Name);

} // namespace streamap

#endif
