//===- Signals.h - Ending cleanly when a signal says so -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler is often interrupted. What it has written must go then, and it
// has to end by that same signal, so that make and shells see why. While a
// child runs, the signal is passed on to it, and the tool cleans up when the
// child has gone; otherwise the handler itself removes what is listed.
//
// All of this is state of the process; one thread uses it.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_SIGNALS_H
#define STREAMAP_DRIVER_SIGNALS_H

#include "llvm/ADT/StringRef.h"

#include <sys/types.h>

namespace streamap {

/// What is removed when: outputs of a failed step, files in the private
/// directory, the directory itself (last, and only if it is empty then).
enum class Removal { Output, Temporary, Directory };

/// Handles the signals that end a process, except those that the caller of the
/// tool ignores (nohup), and becomes the parent of orphaned grandchildren.
void handleSignals();

/// Lists \p Path. At most a few hundred paths; more are left to the
/// destructor of Scratch.
void removeOnSignal(llvm::StringRef Path, Removal Kind);

/// Removes what is listed as \p Kind.
void removeNow(Removal Kind);

/// Takes all paths, or those of one kind, from the list.
void forgetRemovals();
void forgetRemovals(Removal Kind);

/// Holds signals back while it lives, so that none is lost between starting a
/// child and naming it.
class SignalsHeldBack {
public:
  SignalsHeldBack();
  ~SignalsHeldBack();
  SignalsHeldBack(const SignalsHeldBack &) = delete;
  SignalsHeldBack &operator=(const SignalsHeldBack &) = delete;
};

/// Signals go to \p Child from now on; 0: no child runs any more.
void passSignalsTo(pid_t Child);

/// The signal that came while a child ran, or 0.
int pendingSignal();

/// Kills what a child that was ended by a signal has left running, so that
/// nothing writes an output after it was removed.
void endOrphans();

/// Ends the process by \p Signal with its default effect.
[[noreturn]] void endBySignal(int Signal);

} // namespace streamap

#endif
