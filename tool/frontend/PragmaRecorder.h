//===- PragmaRecorder.h - Directives as the preprocessor meets them -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is decided here: the parser has looked ahead when a pragma is met, so
// only the location of the first token behind it says what it stands before.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_PRAGMARECORDER_H
#define STREAMAP_FRONTEND_PRAGMARECORDER_H

#include "directive/Directive.h"
#include "frontend/TokenStream.h"

#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/TokenKinds.h"

#include <memory>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace streamap {

/// One `#pragma streamap`.
struct RecordedPragma {
  clang::SourceLocation Introducer; ///< the `#`, or the word `_Pragma`
  bool IsOperator = false;          ///< written as _Pragma
  clang::SourceLocation End;        ///< the end of its line
  std::vector<PragmaToken> Tokens;  ///< behind the word `streamap`
  std::vector<clang::SourceLocation> Locations;
  std::vector<clang::Token> Originals; ///< the same as the preprocessor has them
  ParsedDirective Parsed;

  /// The first token behind it that is not another pragma's, and the first one
  /// behind attributes: a GNU attribute belongs to its declaration's range, a
  /// standard one does not.
  clang::SourceLocation First, Next;
  bool AtEnd = false;        ///< nothing follows in its file
  bool InBody = false;       ///< C++: its expressions have been put into the body behind it (InjectedProbe.h)
  size_t StreamPosition = 0; ///< tokens of the stream that came before it

  /// Whether \p Token needs a blank before it in text: it had one, or a macro's
  /// edge is there, where two signs must not grow together.
  bool blankBefore(unsigned Token) const {
    return Tokens[Token].SpaceBefore || (Token > 0 && (Locations[Token].isMacroID() || Locations[Token - 1].isMacroID()));
  }

  /// The location that its tokens show to the user.
  clang::SourceLocation location(unsigned Token) const { return Token < Locations.size() ? Locations[Token] : End; }
};

/// An #include that was entered or skipped.
struct RecordedInclude {
  clang::SourceLocation Hash;
  clang::FileID Entered; ///< invalid when the file was skipped
  const clang::FileEntry *File = nullptr;
  clang::SourceLocation End; ///< behind the file's name
};

/// What the preprocessor saw of one translation unit.
struct PreprocessorRecord {
  explicit PreprocessorRecord(clang::Preprocessor &PP) : Stream(PP) {}
  std::vector<std::unique_ptr<RecordedPragma>> Pragmas;
  std::vector<RecordedInclude> Includes;
  TokenStream Stream;
};

/// Starts recording in \p CI, which must have a preprocessor and, before the
/// parse begins, a Sema. The record must outlive the parse.
void startRecording(clang::CompilerInstance &CI, PreprocessorRecord &Record);

} // namespace streamap

#endif
