//===- PragmaScan.h - Which sources have directives -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most sources of a project have none, and then the host compiler should get
// them as they are. Its own preprocessor decides, so that what counts is what
// it sees: its macros, its #if branches, its headers.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_PRAGMASCAN_H
#define STREAMAP_DRIVER_PRAGMASCAN_H

#include "Session.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace streamap {

/// What the preprocessed text of one source holds.
struct ScanResult {
  struct Place {
    std::string File; ///< presumed
    unsigned Line = 0;
    unsigned RawLines = 0; ///< lines in raw strings since the last line marker
  };
  std::vector<Place> Directives; ///< every `#pragma streamap`
  bool UsesHeader = false;       ///< streamap/streamap.h is included
  std::string HostMacros;        ///< the line of streamap/host_facts.h
  HostFacts Facts;               ///< of the compiler that preprocessed the source
};

/// Looks into \p Source. Runs the host compiler's preprocessor only if the
/// source mentions streamap or includes anything. A source that cannot be read
/// or preprocessed has no directives: compiling it fails with the host
/// compiler's own message.
llvm::Expected<ScanResult> scanForDirectives(const Session &Current, const Input &Source);

/// Finds directives in preprocessed text with line markers.
ScanResult scanPreprocessed(llvm::StringRef Text);

} // namespace streamap

#endif
