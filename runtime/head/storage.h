// StreamMAP runtime: what kind of memory an address of the program is.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "base/ids.h"
#include "base/run_set.h"

namespace streamap {

/// Where the calling thread's stack can be: from its lowest possible address to its first frame. Empty if that is not known.
ByteRun callersStack();

/// The writable data of the program and of all libraries loaded now.
RunSet staticStorage();

/// Whether pages are mapped for all of \p runs (a RunSet). A system call for each stretch of pages, which looks at mappings only.
bool allMapped(std::span<const ByteRun> runs);

/// The parts of \p runs (a RunSet) that no page is mapped for.
RunSet unmappedParts(std::span<const ByteRun> runs);

} // namespace streamap
