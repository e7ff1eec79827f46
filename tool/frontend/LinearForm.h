//===- LinearForm.h - Sums of products, compared ----------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer expressions of names, constants, + - and *, as polynomials: enough to
// see that (n - 1) - 1 is n - 2, and that r * w + c starts at r * w. Knows no
// Clang; integers are taken to be unbounded, as everywhere in the clauses.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_LINEARFORM_H
#define STREAMAP_FRONTEND_LINEARFORM_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace streamap {

/// A polynomial with integer coefficients.
class LinearForm {
public:
  static LinearForm constant(int64_t Value);
  static LinearForm name(const std::string &Name);

  /// Reads the text of an expression, as ClauseWriter makes it; nothing if it
  /// is of another kind. Casts in parentheses to our own integer type are skipped.
  static std::optional<LinearForm> parse(const std::string &Text);

  LinearForm operator+(const LinearForm &Other) const;
  LinearForm operator-(const LinearForm &Other) const;
  LinearForm operator*(const LinearForm &Other) const;
  bool operator==(const LinearForm &Other) const { return Terms == Other.Terms; }

  /// Whether \p Name is in it.
  bool mentions(const std::string &Name) const;

private:
  /// Sorted factors of a product, to its coefficient; never 0.
  std::map<std::vector<std::string>, int64_t> Terms;
  void add(const std::vector<std::string> &Factors, int64_t Coefficient);
};

} // namespace streamap

#endif
