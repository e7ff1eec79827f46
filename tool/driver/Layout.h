//===- Layout.h - Where the parts of StreamMAP lie -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_LAYOUT_H
#define STREAMAP_DRIVER_LAYOUT_H

#include <string>

namespace streamap {

/// Directories, all relative to the tool itself, so that a build tree and an
/// installed tree that was moved work alike.
struct Layout {
  std::string Executable;        ///< the tool, links resolved
  std::string IncludeDirectory;  ///< holds streamap/streamap.h
  std::string LibraryDirectory;  ///< holds libstreamap.so
  std::string ResourceDirectory; ///< Clang's own headers
};

/// Finds them. \p Argv0 is the name under which the tool was called, for
/// systems without /proc. Never fails: what is not there shows when it is used.
Layout findLayout(const char *Argv0);

} // namespace streamap

#endif
