//===- FunctionNames.h - What generated code calls a function ---*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_FUNCTIONNAMES_H
#define STREAMAP_FRONTEND_FUNCTIONNAMES_H

#include <string>
#include <vector>

namespace clang {
class Decl;
class DeclContext;
class FunctionDecl;
} // namespace clang

namespace streamap {

/// The name that the linker knows; for a template, only unique among functions of this unit.
std::string symbolOf(const clang::FunctionDecl &Function);

/// `::a::S<T>::template f<U>`: names \p Function (in its own body, where it is
/// of a template) whatever hides its plain name there. Parameters of templates
/// without a name are left to be deduced.
std::string selfName(const clang::FunctionDecl &Function);

/// `::a::` for members of the namespace that \p Function belongs to.
std::string namespaceScope(const clang::FunctionDecl &Function);

/// The namespaces to open around text that stands beside the declaration
/// \p Function, so that it is looked up as the declaration's own parameters are;
/// "" for one without a name.
std::vector<std::string> namespacesAround(const clang::FunctionDecl &Function);

/// All namespaces that \p Function belongs to, outermost first; "" for one without a name.
std::vector<std::string> namespacesOf(const clang::FunctionDecl &Function);

} // namespace streamap

#endif
