//===- Diagnostics.h - Numbers and texts of diagnostics ---------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The enumeration and table made from Diagnostics.def. Knows no Clang: the
// grammar, the tests and the front end all use it.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DIRECTIVE_DIAGNOSTICS_H
#define STREAMAP_DIRECTIVE_DIAGNOSTICS_H

#include <string>
#include <vector>

namespace streamap {

/// Each diagnostic by name; the value is its number (`SM` in front).
enum class Diag : unsigned {
#define DIAG(Number, Severity, Name, Text, Hint) Name = Number,
#include "directive/Diagnostics.def"
};

enum class Severity { Error, Warning };

/// One line of Diagnostics.def.
struct DiagInfo {
  Diag Id;
  Severity Level;
  const char *Name;
  const char *Text;
  const char *Hint;
};

/// All of them, in order of number.
const std::vector<DiagInfo> &allDiagnostics();

/// The line of \p Id; null if no diagnostic has that number.
const DiagInfo *findDiagnostic(Diag Id);

/// Fills \p Text (of a DiagInfo) with \p Arguments: `%0`..`%9`, and parts in
/// braces dropped when an argument in them is missing or empty. A brace part
/// does not nest.
std::string fillText(const char *Text, const std::vector<std::string> &Arguments);

} // namespace streamap

#endif
