// StreamMAP runtime: the floating-point control word (rounding, flush-to-zero, traps) travels with a launch.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace streamap {

/// The calling thread's floating-point mode, without the sticky exception flags; 0 where it is not known.
inline std::uint32_t floatMode() {
#if defined(__x86_64__)
  return _mm_getcsr() & ~0x3fu;
#elif defined(__aarch64__)
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<std::uint32_t>(control) | 0x1u; // bit 0 is not used by the hardware; set so that the word is never 0
#else
  return 0;
#endif
}

/// Takes over a mode that floatMode() gave, on the same kind of processor. 0 leaves everything alone.
inline void setFloatMode(std::uint32_t mode) {
  if (mode == 0 || mode == floatMode())
    return;
#if defined(__x86_64__)
  _mm_setcsr(mode);
#elif defined(__aarch64__)
  const std::uint64_t control = mode & ~0x1u;
  asm volatile("msr fpcr, %0" ::"r"(control));
#endif
}

} // namespace streamap
