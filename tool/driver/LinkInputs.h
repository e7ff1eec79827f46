//===- LinkInputs.h - Which files a link takes, and which have tasks -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_LINKINPUTS_H
#define STREAMAP_DRIVER_LINKINPUTS_H

#include "Session.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace streamap {

/// The objects, archives and libraries of a link, and the texts that were
/// finished before: inputs, what -l finds, and
/// what -Wl, and -Xlinker name.
std::vector<std::string> findLinkFiles(const Session &Current);

/// Whether the object, archive, shared library, LTO object or finished text
/// \p Path refers to libstreamap. A file that cannot be read does not: the linker has its own
/// words for that.
bool refersToRuntime(llvm::StringRef Path);

} // namespace streamap

#endif
