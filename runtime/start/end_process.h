// StreamMAP runtime: ending a process whose threads cannot all be asked to end.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace streamap {

/// Writes out what the program has printed, and ends the process at once: no atexit handlers, no destructors, since other threads
/// may be anywhere. Any thread.
[[noreturn]] void endProcess(int code);

} // namespace streamap
