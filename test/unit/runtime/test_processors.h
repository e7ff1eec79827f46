// StreamMAP tests: clusters in a few letters.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "assign/resources.h"

namespace streamap {

/// Processors by rank, each rank a node of its own: "C4,G,G C4,F+x" is a rank with 4 cores and two devices, and one with 4 cores
/// and a device with the label x. They are numbered as they stand there.
///
/// | letter | device  | capability | memory | speed |
/// | C      | cores   |            |        | 1     |
/// | K      | "old"   | 6.0        | 4 GiB  | 2     |
/// | G      | "plain" | 8.0        | 8 GiB  | 10    |
/// | F      | "fast"  | 9.0        | 16 GiB | 20    |
///
/// A rank that begins with '&' is on the node of the one before it. Copies to and from a device and between ranks of a node take
/// 1 s for 1e9 bytes, between nodes ten times as long.
ResourceTable processorsFrom(const std::string &text);

} // namespace streamap
