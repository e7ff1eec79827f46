//===- Words.h - The words of the grammar -----------------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DIRECTIVE_WORDS_H
#define STREAMAP_DIRECTIVE_WORDS_H

#include "directive/Directive.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace streamap {

/// A clause as it is written.
struct ClauseWord {
  llvm::StringRef Word;
  ClauseKind Kind;
  bool Single;             ///< may stand once in a directive
  llvm::StringRef Example; ///< for hints
};

/// The clause named \p Word; null if there is none.
const ClauseWord *findClauseWord(llvm::StringRef Word);
const ClauseWord &wordOf(ClauseKind Kind);

struct RequireWord {
  llvm::StringRef Word;
  RequireExpr::Key Key;
  llvm::StringRef Example; ///< a whole requirement
};

const RequireWord *findRequireWord(llvm::StringRef Word);

/// C, c, G or g.
std::optional<ResourceKind> findResource(llvm::StringRef Word);

/// The word of the given kind that \p Word was probably meant to be; empty if
/// none is near.
llvm::StringRef nearestDirective(llvm::StringRef Word);
llvm::StringRef nearestClause(llvm::StringRef Word);
llvm::StringRef nearestRequirement(llvm::StringRef Word);
llvm::StringRef nearestVendor(llvm::StringRef Word);

} // namespace streamap

#endif
