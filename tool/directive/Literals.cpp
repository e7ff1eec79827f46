//===- Literals.cpp - Numbers, sizes and strings of a pragma --------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/Literals.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using llvm::StringRef;

namespace streamap {

namespace {

bool isIntegerSuffix(StringRef Suffix) {
  return llvm::StringSwitch<bool>(Suffix.lower()).Cases("", "u", "l", "ul", "lu", "ll", "ull", "llu", true).Default(false) &&
         !Suffix.contains("lL") && !Suffix.contains("Ll");
}

/// Whether the number has a fraction or an exponent, so that it is a floating
/// constant (and well formed as one).
bool isFloating(StringRef Text) {
  if (Text.starts_with_insensitive("0x"))
    return Text.contains_insensitive("p");
  while (!Text.empty() && StringRef("fFlL").contains(Text.back()))
    Text = Text.drop_back();
  double Value;
  return Text.find_first_of(".eE") != StringRef::npos && !Text.contains("..") && llvm::to_float(Text, Value);
}

} // namespace

IntegerLiteral readInteger(StringRef Text) {
  using Outcome = IntegerLiteral::Outcome;
  if (Text.empty() || !llvm::isDigit(Text.front()))
    return isFloating(Text) ? IntegerLiteral{Outcome::Fraction, 0} : IntegerLiteral{};
  std::string Joined = Text.str();
  std::erase(Joined, '\'');
  StringRef Digits = Joined;
  unsigned Radix = 10;
  if (Digits.consume_front_insensitive("0x"))
    Radix = 16;
  else if (Digits.consume_front_insensitive("0b"))
    Radix = 2;
  else if (Digits.size() > 1 && Digits.front() == '0')
    Radix = 8;

  StringRef Body = Digits.take_while([&](char C) { return Radix == 16 ? llvm::isHexDigit(C) : llvm::isDigit(C); });
  if (!isIntegerSuffix(Digits.drop_front(Body.size())))
    return isFloating(Joined) ? IntegerLiteral{Outcome::Fraction, 0} : IntegerLiteral{};
  auto isDigitOfRadix = [&](char C) { return llvm::hexDigitValue(C) < Radix; };
  if (Body.empty() || !std::all_of(Body.begin(), Body.end(), isDigitOfRadix))
    return {};
  uint64_t Value;
  if (Body.getAsInteger(Radix, Value)) // the digits are good, so there are too many
    return {Outcome::TooLarge, 0};
  return {Outcome::Integer, Value};
}

std::optional<int64_t> readComputeCapability(StringRef Text) {
  auto [Major, Minor] = Text.split('.');
  unsigned MajorValue, MinorValue = 0;
  if (Major.getAsInteger(10, MajorValue) || MajorValue > 99)
    return std::nullopt;
  if (Text.contains('.') && (Minor.getAsInteger(10, MinorValue) || MinorValue > 9))
    return std::nullopt;
  return MajorValue * 10 + MinorValue;
}

SizeText splitSize(StringRef Text) {
  StringRef Number = Text.take_while([](char C) { return llvm::isDigit(C) || C == '.'; });
  return {Number, Text.drop_front(Number.size())};
}

std::optional<int64_t> bytesOfUnit(StringRef Unit) {
  constexpr int64_t K = 1000, Ki = 1024;
  int64_t Bytes = llvm::StringSwitch<int64_t>(Unit)
                      .Case("B", 1)
                      .Case("KB", K)
                      .Case("MB", K * K)
                      .Case("GB", K * K * K)
                      .Case("TB", K * K * K * K)
                      .Case("KiB", Ki)
                      .Case("MiB", Ki * Ki)
                      .Case("GiB", Ki * Ki * Ki)
                      .Case("TiB", Ki * Ki * Ki * Ki)
                      .Default(0);
  return Bytes ? std::optional(Bytes) : std::nullopt;
}

std::optional<int64_t> readSize(StringRef Number, int64_t Unit) {
  if (uint64_t Whole; !Number.getAsInteger(10, Whole)) {
    if (Whole == 0 || Whole > static_cast<uint64_t>(std::numeric_limits<int64_t>::max() / Unit))
      return std::nullopt;
    return static_cast<int64_t>(Whole) * Unit;
  }
  double Value;
  if (Number.contains("..") || !llvm::to_float(Number, Value))
    return std::nullopt;
  Value = std::floor(Value * static_cast<double>(Unit));
  if (!(Value >= 1) || Value >= 9.2e18)
    return std::nullopt;
  return static_cast<int64_t>(Value);
}

std::optional<std::string> readString(StringRef Literal) {
  if (Literal.size() < 2 || !Literal.consume_front("\"") || !Literal.consume_back("\""))
    return std::nullopt;
  std::string Characters;
  for (size_t I = 0; I < Literal.size(); ++I) {
    if (Literal[I] == '\\') {
      ++I;
      if (I == Literal.size() || (Literal[I] != '\\' && Literal[I] != '"'))
        return std::nullopt;
    }
    Characters += Literal[I];
  }
  return Characters;
}

} // namespace streamap
