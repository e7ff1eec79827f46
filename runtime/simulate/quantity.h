// StreamMAP simulator: amounts as people write them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "assign/resources.h"
#include "base/result.h"

namespace streamap::simulate {

/// Reads `2us`, `1.5 ms`, `20s`: a number of 0 or more and a unit (ns, us, ms, s). A bare number is in seconds.
Result<Seconds> parseSeconds(std::string_view text);

/// Reads `10GB/s`, `25 GiB/s`: an amount of memory as parseBytes takes it, and `/s`. Bytes per second, more than 0.
Result<double> parseBandwidth(std::string_view text);

/// `12.3 ms`: three digits and the unit that leaves at least 1.
std::string describeSeconds(Seconds time);

} // namespace streamap::simulate
