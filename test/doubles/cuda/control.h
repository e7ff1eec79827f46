// The CUDA double: what it exports for tests beside the driver API.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

extern "C" {

/// What is alive, and what went wrong. What belongs to a context that an error has broken does not count as alive: nothing could
/// free it.
struct DoubleReport {
  std::uint64_t contexts, streams, events, modules, deviceBuffers, hostBuffers;
  std::uint64_t deviceBytes;
  std::uint64_t misuses;        ///< calls on dead or foreign handles, copies beyond buffers, calls from host functions
  std::uint64_t pageableCopies; ///< "asynchronous" copies that were not, because the host memory was not pinned
};

/// Starts anew with these settings (settings.h), as a new process would. No other thread may be in a call. Null or an error's
/// text, which is valid until the next call.
const char *cudaDoubleConfigure(const char *settings);
void cudaDoubleReport(DoubleReport *report);
/// "name count" lines of the calls since the start. Valid until the next call.
const char *cudaDoubleCalls();
/// What the file with the twins of this PTX must be called in the directory `twins`. Valid until the next call.
const char *cudaDoubleTwinFile(const char *ptx);
}
