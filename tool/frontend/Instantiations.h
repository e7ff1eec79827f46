//===- Instantiations.h - What became of a template's function --*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_INSTANTIATIONS_H
#define STREAMAP_FRONTEND_INSTANTIATIONS_H

#include <vector>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace streamap {

/// What tells a task: the canonical declaration of the function, or of what it
/// is instantiated from. An explicit specialisation is a function of its own.
const clang::FunctionDecl *taskKey(const clang::FunctionDecl &Function);

/// Whether \p Function is a template or a member of one, and so only a pattern.
bool isPattern(const clang::FunctionDecl &Function);

/// The instantiations of the pattern \p Function that have a body here.
std::vector<clang::FunctionDecl *> instantiationsOf(const clang::FunctionDecl &Function);

} // namespace streamap

#endif
