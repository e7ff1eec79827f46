//===- SourceEdits.h - A source with pieces replaced ------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host text is the user's text with generated pieces in it. What follows a
// piece must have the line and the column that it had, for the diagnostics and
// the debug information of any compiler, so a piece is put between line markers
// and the column is made up by blanks.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_EMIT_SOURCEEDITS_H
#define STREAMAP_EMIT_SOURCEEDITS_H

#include <string>
#include <vector>

namespace streamap {

/// How line markers are written.
enum class MarkerStyle {
  GNU,     ///< `# 3 "a.c" 3`: generated text is system text, and no warning comes from it
  Standard ///< `#line 3 "a.c"`, for compilers that warn of the first
};

/// A line of generated text. Code of one line counts as standing on the user's
/// line \p At.
struct GeneratedLine {
  std::string Text;
  unsigned At = 0; ///< presumed line; 0: the line at which the edit begins
  /// Not 0: counts as the user's own text, from this column on, so that a warning of it is shown.
  unsigned UsersColumn = 0;
};

/// One change to one file.
struct SourceEdit {
  enum class Kind {
    Blank,    ///< overwrite by blanks, keeping the line breaks
    InPlace,  ///< Lines[0] instead; what follows on the same line may move, so nothing but a line break should
    Generated ///< Lines instead, between markers; then return to the line and column of End
  };
  Kind EditKind = Kind::Generated;
  size_t Begin = 0, End = 0; ///< offsets [Begin, End) in the file
  std::vector<GeneratedLine> Lines;
  bool AtFileScope = false; ///< Generated: whole declarations
};

/// Where a presumed file and line begin to hold in a file: its start, and each
/// `#line` of its own.
struct LineMapping {
  size_t Offset = 0; ///< of the first character of the line
  unsigned Line = 1; ///< presumed number of that line
  std::string File;  ///< presumed name
};

/// The file named by an #include that is written out in place of it.
struct InlinedInclude {
  size_t Begin = 0, End = 0; ///< offsets of the directive, without its line break
  size_t File = 0;           ///< index into HostSource::Files
};

struct SourceFile {
  std::string Text;
  std::vector<LineMapping> Lines;       ///< ascending; never empty
  std::vector<SourceEdit> Edits;        ///< any order; those at one offset keep theirs
  std::vector<InlinedInclude> Includes; ///< any order
  bool IsSystem = false;
};

struct HostSource {
  std::vector<SourceFile> Files; ///< [0] is the main file
  MarkerStyle Style = MarkerStyle::GNU;
  /// A marker before every generated line, so that all code of a piece counts
  /// as one line of the user's. Without it the text is easier to read.
  bool EveryLineMarked = true;
  std::vector<std::string> Prologue; ///< lines in front of everything
};

/// The text of \p Source for the host compiler.
std::string printHostSource(const HostSource &Source);

/// \p Text as a C string literal, quotes included.
std::string quoted(const std::string &Text);

} // namespace streamap

#endif
