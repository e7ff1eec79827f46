//===- PragmaLexer.h - Preprocessing tokens for tests -----------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_TEST_PRAGMALEXER_H
#define STREAMAP_TEST_PRAGMALEXER_H

#include "directive/Directive.h"

#include <string>
#include <vector>

namespace streamap {

/// The preprocessing tokens of one line, and where each begins.
struct LexedPragma {
  std::vector<PragmaToken> Tokens;
  std::vector<unsigned> Columns; ///< from 0
};

/// Splits \p Line as the preprocessor does (longest match, preprocessing
/// numbers), without macros, comments and trigraphs.
LexedPragma lexPragma(const std::string &Line);

} // namespace streamap

#endif
