// StreamMAP runtime: partials of reductions.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace streamap {

/// Writes `elements` times the identity of `op` for elements of type `scalar` (the enums of abi.h), starting at `first`.
/// The pair must be one that the compiler lets through; anything else is our own bug.
void fillIdentity(std::byte *first, std::uint64_t elements, std::uint8_t op, std::uint8_t scalar);

} // namespace streamap
