//===- ParseArguments.h - What Clang is told about a source -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_PARSEARGUMENTS_H
#define STREAMAP_DRIVER_PARSEARGUMENTS_H

#include "Session.h"

#include <string>
#include <vector>

namespace streamap {

/// Arguments of the Clang driver with which a parse of \p Source sees what the
/// host compiler sees: macros, language, target, headers. What only the host
/// compiler knows, and what does not change the meaning of the text, is left
/// out; warnings are off, because the host compiler gives them. Neither the
/// program nor the source is in the list.
std::vector<std::string> parseArguments(const Session &Current, const Input &Source, const HostFacts &Facts);

} // namespace streamap

#endif
