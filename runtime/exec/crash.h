// StreamMAP runtime: a task that crashes is a failure with a name, not the end of a process without one.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

#include "base/ids.h"

namespace streamap {

/// Remembers which of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT the program leaves to the system. Called before MPI_Init, which
/// puts handlers of its own in place.
void rememberSignalHandlers();

/// From now on one of those signals, raised by a task's own code, stops that thread for ever and calls `report` on a thread of
/// its own. Elsewhere the signal does what it always did. Handlers of the program, before or after, win. Called once.
void watchCrashes(std::function<void(EventId task, const std::string &what)> report);

/// Gives the calling thread a stack on which to handle its own stack's overflow. For threads that run tasks.
void prepareCrashStack();

/// Blocks, on the calling thread, all signals but those a thread raises itself: the program's handlers run where the program's
/// own threads are.
void leaveSignalsToTheProgram();

/// The calling thread has nothing more to do, and cannot be unwound.
[[noreturn]] void parkForEver();

} // namespace streamap
