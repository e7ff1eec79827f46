//===- Reduction.h - Operators of OpenMP's reduction clause -----*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_REDUCTION_H
#define STREAMAP_KERNEL_REDUCTION_H

#include <string>

namespace clang {
class ASTContext;
class QualType;
} // namespace clang

namespace streamap {

/// Whether \p Operator is one of + - * & | ^ && || min max.
bool isReductionOperator(const std::string &Operator);

/// Text of the value of \p Type that \p Operator leaves everything as it is with.
std::string neutralElement(const clang::ASTContext &Context, clang::QualType Type, const std::string &Operator);

/// Text of \p A and \p B combined, in parentheses. Both are evaluated up to twice.
std::string combination(const std::string &Operator, const std::string &A, const std::string &B);

} // namespace streamap

#endif
