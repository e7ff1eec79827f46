// StreamMAP runtime: hashes of the bytes that leave home or arrive there.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "data/stamps.h"
#include "exec/orders.h"

namespace streamap {

/// A piece of a transfer is about to leave home: records what it holds, and takes out what the receiver has already
/// (SendOrder::receiverHas). Returns how many bytes were taken out.
std::uint64_t stampDeparture(StampTable &stamps, const SendOrder &order, std::vector<ByteRun> &piece);

/// A piece has arrived at home: records what it holds.
void stampArrival(StampTable &stamps, Version version, const std::vector<ByteRun> &piece);

} // namespace streamap
