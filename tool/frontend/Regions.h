//===- Regions.h - The lists of wait on and discard -------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_REGIONS_H
#define STREAMAP_FRONTEND_REGIONS_H

#include "frontend/Binding.h"

#include <string>

namespace clang {
class ASTContext;
} // namespace clang

namespace streamap {

/// The text of the statement that `wait`, `wait on` or `discard` becomes.
/// Reports lists that name no memory or whose extent is not known.
std::string statementText(const BoundStatement &Statement, const clang::ASTContext &Context, Reporter &Report);

} // namespace streamap

#endif
