//===- Reduction.cpp - Operators of OpenMP's reduction clause -------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/Reduction.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace streamap {

bool isReductionOperator(const std::string &Operator) {
  for (const char *Known : {"+", "-", "*", "&", "|", "^", "&&", "||", "min", "max"})
    if (Operator == Known)
      return true;
  return false;
}

/// The least or the greatest integer of \p Bits bits.
static std::string integerLimit(uint64_t Bits, bool IsSigned, bool Greatest) {
  uint64_t Ones = Bits == 64 ? ~uint64_t(0) : (uint64_t(1) << Bits) - 1;
  if (!IsSigned)
    return Greatest ? std::to_string(Ones) + "ULL" : "0";
  std::string Most = std::to_string(Ones >> 1) + "LL";
  return Greatest ? Most : "(-" + Most + " - 1)";
}

std::string neutralElement(const ASTContext &Context, QualType Type, const std::string &Operator) {
  if (Operator == "*" || Operator == "&&")
    return "1";
  if (Operator == "&")
    return Type->isBooleanType() ? "1" : "~0";
  if (Operator != "min" && Operator != "max")
    return "0";
  if (Type->isRealFloatingType())
    return Operator == "min" ? "STREAMAP_INFINITY" : "-STREAMAP_INFINITY";
  if (Type->isBooleanType())
    return Operator == "min" ? "1" : "0";
  return integerLimit(Context.getTypeSize(Type), Type->isSignedIntegerOrEnumerationType(), Operator == "min");
}

std::string combination(const std::string &Operator, const std::string &A, const std::string &B) {
  if (Operator == "min")
    return "(" + B + " < " + A + " ? " + B + " : " + A + ")";
  if (Operator == "max")
    return "(" + A + " < " + B + " ? " + B + " : " + A + ")";
  return "(" + A + " " + (Operator == "-" ? "+" : Operator) + " " + B + ")";
}

} // namespace streamap
