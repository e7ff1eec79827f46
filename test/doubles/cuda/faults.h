// The CUDA double: faults of what a device does.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ucontext.h>

namespace doubles {

/// While one lives, faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL) of the calling thread are the device's, not the program's: the
/// handler calls \p land instead of ending the process. They do not nest.
class FaultsLand {
public:
  /// \p land is called in the handler, on the thread's signal stack: it may change where the thread goes on when the handler
  /// returns, or leave by siglongjmp. Only async-signal-safe calls.
  using Land = void (*)(int signal, ucontext_t &interrupted, void *data);

  FaultsLand(Land land, void *data);
  ~FaultsLand();
  FaultsLand(const FaultsLand &) = delete;
  FaultsLand &operator=(const FaultsLand &) = delete;
};

/// Calls \p work with \p data; gives the signal of the fault that ended it early, 0 if none did. Nothing in \p work may need a
/// destructor.
int untilFault(void (*work)(const void *data), const void *data);

} // namespace doubles
