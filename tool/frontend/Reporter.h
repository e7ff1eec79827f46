//===- Reporter.h - Numbered diagnostics, shown as clang shows them -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_REPORTER_H
#define STREAMAP_FRONTEND_REPORTER_H

#include "directive/Diagnostics.h"
#include "directive/Directive.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <set>
#include <string>

namespace clang {
class LangOptions;
}

namespace streamap {

/// Where the tokens of one pragma stand, for errors that the grammar found.
struct PragmaLocations {
  llvm::ArrayRef<clang::SourceLocation> Tokens; ///< first characters, one a token
  clang::SourceLocation End;                    ///< the end of the pragma's line
};

/// Shows the diagnostics of Diagnostics.def through a clang::DiagnosticsEngine:
/// `file:line:col: error: text [SM1003]`, with snippet, caret and fix-it, then
/// the hint as a note. Holds counts; not thread-safe, as the engine is not.
class Reporter {
public:
  /// \p Engine must outlive this. \p Options is used to measure tokens, and may
  /// only be null where no grammar error is reported.
  explicit Reporter(clang::DiagnosticsEngine &Engine, const clang::LangOptions *Options = nullptr)
      : Engine(Engine), Options(Options) {}

  /// Shows \p Id at \p Loc (a macro's use, where it lies in one's expansion).
  void report(Diag Id, clang::SourceLocation Loc, llvm::ArrayRef<std::string> Arguments = {},
              std::optional<clang::FixItHint> FixIt = std::nullopt);

  /// The same with several edits that belong together.
  void report(Diag Id, clang::SourceLocation Loc, llvm::ArrayRef<std::string> Arguments, llvm::ArrayRef<clang::FixItHint> FixIts);

  /// Shows an error of parseDirective at its token.
  void report(const DirectiveError &Problem, const PragmaLocations &Locations);

  /// Adds a remark to the diagnostic just shown ("declared here").
  void note(clang::SourceLocation Loc, llvm::StringRef Text);

  unsigned errorCount() const { return Errors; }
  unsigned warningCount() const { return Warnings; }

private:
  clang::DiagnosticsEngine &Engine;
  const clang::LangOptions *Options;
  /// Whether it has been said. The instantiations of a template say the same.
  bool isRepeated(Diag Id, clang::SourceLocation Loc, llvm::ArrayRef<std::string> Arguments);

  unsigned Errors = 0;
  unsigned Warnings = 0;
  bool Repeated = false; ///< the last one: its notes are left out too
  std::set<std::string> Said;
};

} // namespace streamap

#endif
