// StreamMAP runtime: the clock that is the same for all processes of a machine.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <time.h>

#include <cstdint>

namespace streamap {

/// Nanoseconds since some moment, the same for all processes of a machine.
inline std::int64_t monotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace streamap
