//===- Literals.h - Numbers, sizes and strings of a pragma ------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DIRECTIVE_LITERALS_H
#define STREAMAP_DIRECTIVE_LITERALS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace streamap {

/// What a preprocessing number means as a C integer constant.
struct IntegerLiteral {
  enum class Outcome : uint8_t { Integer, TooLarge, Fraction, Malformed };
  Outcome Kind = Outcome::Malformed;
  uint64_t Value = 0;
};

/// Reads decimal, octal, hexadecimal and binary constants with their suffixes
/// and digit separators. A floating constant is Fraction, anything above 64
/// bits TooLarge.
IntegerLiteral readInteger(llvm::StringRef Text);

/// "8.0" -> 80, "7.5" -> 75, "9" -> 90: major * 10 + minor.
std::optional<int64_t> readComputeCapability(llvm::StringRef Text);

/// Splits "40GiB" or "1.5GB" into number and unit; either may be missing.
struct SizeText {
  llvm::StringRef Number, Unit;
};
SizeText splitSize(llvm::StringRef Text);

/// Bytes in one \p Unit (B, KB, ..., TiB); none if there is no such unit.
std::optional<int64_t> bytesOfUnit(llvm::StringRef Unit);

/// \p Number (decimal, perhaps with a fraction) times \p Unit; none if it is
/// malformed, not above 0, or does not fit 63 bits.
std::optional<int64_t> readSize(llvm::StringRef Number, int64_t Unit);

/// The characters of an ordinary string literal, quotes off; none for prefixed
/// literals and for escapes other than \\ and \".
std::optional<std::string> readString(llvm::StringRef Literal);

} // namespace streamap

#endif
