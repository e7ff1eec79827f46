//===- LinearForm.cpp - Sums of products, compared ------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/LinearForm.h"

#include <algorithm>
#include <cctype>

namespace streamap {

void LinearForm::add(const std::vector<std::string> &Factors, int64_t Coefficient) {
  int64_t &Value = Terms[Factors];
  Value += Coefficient;
  if (Value == 0)
    Terms.erase(Factors);
}

LinearForm LinearForm::constant(int64_t Value) {
  LinearForm Result;
  Result.add({}, Value);
  return Result;
}

LinearForm LinearForm::name(const std::string &Name) {
  LinearForm Result;
  Result.add({Name}, 1);
  return Result;
}

LinearForm LinearForm::operator+(const LinearForm &Other) const {
  LinearForm Result = *this;
  for (const auto &[Factors, Coefficient] : Other.Terms)
    Result.add(Factors, Coefficient);
  return Result;
}

LinearForm LinearForm::operator-(const LinearForm &Other) const {
  return *this + constant(-1) * Other;
}

LinearForm LinearForm::operator*(const LinearForm &Other) const {
  LinearForm Result;
  for (const auto &[Left, A] : Terms)
    for (const auto &[Right, B] : Other.Terms) {
      std::vector<std::string> Factors = Left;
      Factors.insert(Factors.end(), Right.begin(), Right.end());
      std::sort(Factors.begin(), Factors.end());
      Result.add(Factors, A * B);
    }
  return Result;
}

bool LinearForm::mentions(const std::string &Name) const {
  for (const auto &[Factors, Coefficient] : Terms)
    if (std::find(Factors.begin(), Factors.end(), Name) != Factors.end())
      return true;
  return false;
}

namespace {

/// Sum, product, operand: one function each.
class Reader {
public:
  explicit Reader(const std::string &Source) : Text(Source) {}

  std::optional<LinearForm> whole() {
    std::optional<LinearForm> Result = sum();
    skip();
    return At == Text.size() ? Result : std::nullopt;
  }

private:
  void skip() {
    while (At < Text.size() && std::isspace(static_cast<unsigned char>(Text[At])))
      ++At;
  }

  bool take(char C) {
    skip();
    if (At == Text.size() || Text[At] != C)
      return false;
    ++At;
    return true;
  }

  bool takeCast() {
    skip();
    static const std::string Cast = "(streamap_int)";
    if (Text.compare(At, Cast.size(), Cast) != 0)
      return false;
    At += Cast.size();
    return true;
  }

  std::optional<LinearForm> sum() {
    std::optional<LinearForm> Left = product();
    while (Left) {
      bool Plus = take('+');
      if (!Plus && !take('-'))
        break;
      std::optional<LinearForm> Right = product();
      if (!Right)
        return std::nullopt;
      Left = Plus ? *Left + *Right : *Left - *Right;
    }
    return Left;
  }

  std::optional<LinearForm> product() {
    std::optional<LinearForm> Left = operand();
    while (Left && take('*')) {
      std::optional<LinearForm> Right = operand();
      if (!Right)
        return std::nullopt;
      Left = *Left * *Right;
    }
    return Left;
  }

  std::optional<LinearForm> operand() {
    while (takeCast())
      ;
    if (take('-')) {
      std::optional<LinearForm> Value = operand();
      return Value ? std::optional(LinearForm::constant(0) - *Value) : std::nullopt;
    }
    if (take('(')) {
      std::optional<LinearForm> Value = sum();
      return Value && take(')') ? Value : std::nullopt;
    }
    skip();
    size_t Begin = At;
    while (At < Text.size() && (std::isalnum(static_cast<unsigned char>(Text[At])) || Text[At] == '_'))
      ++At;
    std::string Word = Text.substr(Begin, At - Begin);
    if (Word.empty())
      return std::nullopt;
    if (!std::isdigit(static_cast<unsigned char>(Word.front())))
      return LinearForm::name(Word);
    return number(Word);
  }

  static std::optional<LinearForm> number(std::string Word) {
    while (!Word.empty() && std::string("uUlL").find(Word.back()) != std::string::npos)
      Word.pop_back();
    // Octal and hexadecimal constants are rare in loop bounds.
    if (Word.empty() || Word.size() > 18 || (Word.size() > 1 && Word.front() == '0') ||
        !std::all_of(Word.begin(), Word.end(), [](unsigned char C) { return std::isdigit(C); }))
      return std::nullopt;
    return LinearForm::constant(std::stoll(Word));
  }

  const std::string &Text;
  size_t At = 0;
};

} // namespace

std::optional<LinearForm> LinearForm::parse(const std::string &Text) {
  return Reader(Text).whole();
}

} // namespace streamap
