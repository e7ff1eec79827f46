//===- Translate.h - One annotated source to host text ----------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver sees of the front end. Calls no host compiler and writes no
// file.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_TRANSLATE_H
#define STREAMAP_FRONTEND_TRANSLATE_H

#include "kernel/DeviceSource.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace streamap {

/// One source file and how to parse it.
struct TranslateRequest {
  /// Arguments of clang's driver for the parse, without a program name and
  /// without the source: -I, -D, -std, -resource-dir, --gcc-install-dir, -x,
  /// -fopenmp... No -o, -c, -M*, -W* and nothing that only the host compiler knows.
  std::vector<std::string> Arguments;
  /// The source, as the user gave it. It is opened under this name and
  /// diagnostics, __FILE__ and debug information name it so.
  std::string Source;
  bool IsCXX = false;
  /// The host compiler warns of GNU extensions (-pedantic, -Wpedantic): line
  /// markers are then written as #line, which cannot mark system text.
  bool Pedantic = false;
  /// The host compiler is Clang. It names a header beside the source "./x.h",
  /// as the parse does; gcc names it "x.h".
  bool HostIsClang = false;
  /// Make Translation::Explanation.
  bool Explain = false;
};

/// What became of it.
struct Translation {
  /// The source or a header of it holds a streamap directive, right or wrong.
  /// Without one, the other members are empty and the host compiler should get
  /// the source as it is.
  bool HasDirective = false;
  /// The presumed line of each directive; 0 for one written as _Pragma, whose
  /// line compilers tell differently.
  std::vector<unsigned> DirectiveLines;
  /// No error.
  bool Succeeded = false;
  /// There are errors that are not about directives: any C compiler reports
  /// them, in its own words.
  bool LanguageAtFault = false;
  /// Errors and warnings as Clang prints them, with colours where the standard
  /// error stream shows them.
  std::string Messages;
  /// The complete text for the host compiler, beginning with a line marker that names the
  /// source. It includes <streamap/generated.h>; quoted includes of the source
  /// must be found from the source's own directory (-iquote).
  std::string HostText;
  /// The same for a person: with fewer line markers, so that lines of generated
  /// code seem to stand behind each other.
  std::string ReadableText;
  /// The kernels of its G versions; empty: it has none. In HostText and
  /// ReadableText the line NoUnitImages makes room for their images.
  DeviceSource Device;
  /// A directive stays behind in a header that is included as it is, so the
  /// host compiler would warn of an unknown pragma under -Wall.
  bool DirectiveInHeader = false;
  /// The task model, for a person to read.
  std::string Explanation;
};

/// Parses \p Request.Source with its headers, checks its directives, and makes
/// the host text. An Error is a fault outside the source: it cannot be read, or
/// the arguments make no compilation. Mistakes in the source are told by
/// Translation::Succeeded and Messages. Thread-safe: keeps no state between calls.
llvm::Expected<Translation> translate(const TranslateRequest &Request);

} // namespace streamap

#endif
