//===- Diagnostics.cpp - Numbers and texts of diagnostics -----------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/Diagnostics.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace streamap {

const std::vector<DiagInfo> &allDiagnostics() {
  static const std::vector<DiagInfo> Table = {
#define DIAG(Number, Level, Name, Text, Hint) {Diag::Name, Severity::Level, #Name, Text, Hint},
#include "directive/Diagnostics.def"
  };
  return Table;
}

const DiagInfo *findDiagnostic(Diag Id) {
  const std::vector<DiagInfo> &Table = allDiagnostics();
  auto It = std::ranges::lower_bound(Table, Id, {}, &DiagInfo::Id);
  return It != Table.end() && It->Id == Id ? &*It : nullptr;
}

namespace {

/// Fills a text without brace parts; \p Complete becomes false when an
/// argument of it is missing or empty.
std::string fillPart(std::string_view Part, const std::vector<std::string> &Arguments, bool &Complete) {
  std::string Filled;
  for (size_t I = 0; I < Part.size(); ++I) {
    if (Part[I] != '%' || I + 1 == Part.size() || !std::isdigit(static_cast<unsigned char>(Part[I + 1]))) {
      Filled += Part[I];
      continue;
    }
    size_t Index = static_cast<size_t>(Part[++I] - '0');
    if (Index < Arguments.size() && !Arguments[Index].empty())
      Filled += Arguments[Index];
    else
      Complete = false;
  }
  return Filled;
}

} // namespace

std::string fillText(const char *Text, const std::vector<std::string> &Arguments) {
  std::string Result;
  std::string_view Rest = Text;
  while (!Rest.empty()) {
    bool Complete = true;
    size_t Open = Rest.find('{');
    Result += fillPart(Rest.substr(0, Open), Arguments, Complete);
    if (Open == std::string_view::npos)
      break;
    size_t Close = Rest.find('}', Open);
    Complete = true;
    std::string Part = fillPart(Rest.substr(Open + 1, Close - Open - 1), Arguments, Complete);
    if (Complete)
      Result += Part;
    Rest = Close == std::string_view::npos ? std::string_view() : Rest.substr(Close + 1);
  }
  return Result;
}

} // namespace streamap
