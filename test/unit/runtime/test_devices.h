// StreamMAP tests: devices for a rank of a test.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/rank_memory.h"
#include "head/head.h"

namespace streamap {

/// The memory of rank \p rank with the devices of a setting `devices`; null when that gives none. A wrong setting fails the test.
std::unique_ptr<RankMemory> openMemory(Mirror &mirror, const std::string &devices, int rank);

/// What a rank with that memory (or null) offers the head.
std::vector<DeviceOffer> offersOf(const RankMemory *memory);

} // namespace streamap
