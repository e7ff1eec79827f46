//===- ParameterList.h - A function's parameters as text --------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_PARAMETERLIST_H
#define STREAMAP_FRONTEND_PARAMETERLIST_H

#include "frontend/TokenStream.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
class ParmVarDecl;
} // namespace clang

namespace streamap {

/// Text between the parentheses of \p Function's parameter list, without
/// default arguments; empty for (void). Nothing when its tokens were not seen.
std::optional<std::string> parameterListText(const clang::FunctionDecl &Function, const TokenStream &Stream);

/// The same for a call of \p Function, where names of its class and of its
/// template's parameters mean nothing: with types as the compiler prints them,
/// if it has such.
std::optional<std::string> calledParameterList(const clang::FunctionDecl &Function, const TokenStream &Stream);

/// Declarations of the names of the templates' parameters that \p Function was
/// instantiated with.
std::vector<std::string> argumentAliases(const clang::FunctionDecl &Function);

/// The name that generated code has for parameter \p Index: its own, or one
/// that is put there (unnamedParameters).
std::string parameterName(const clang::FunctionDecl &Function, unsigned Index);

/// In C++, the last token of each parameter of \p Function without a name,
/// behind which one can be put.
std::vector<std::pair<clang::SourceLocation, std::string>> unnamedParameters(const clang::FunctionDecl &Function,
                                                                             const TokenStream &Stream);

/// The first parameter of \p Function whose type is `auto`; null if there is none.
const clang::ParmVarDecl *findAutoParameter(const clang::FunctionDecl &Function, const TokenStream &Stream);

/// Whether each parameter of \p Function has a name.
bool namesItsParameters(const clang::FunctionDecl &Function);

} // namespace streamap

#endif
