// StreamMAP runtime: what a process takes from where it was started: environment, directory, locale, file mode mask.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "comm/wire.h"

namespace streamap {

/// The surroundings of this process, for another rank. Variables of the launcher and of the machine are left out.
/// Called while the process has one thread.
std::vector<std::byte> packSurroundings();

/// Makes them those of this process. Returns a sentence about what could not be done, or nothing.
std::string takeSurroundings(std::span<const std::byte> packed);

} // namespace streamap
