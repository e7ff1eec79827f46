// StreamMAP runtime: a rank at work.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "exec/orders.h"

namespace streamap {

/// Carries out orders on this rank: waits for their events, runs tasks on slots, sends and receives bytes, tells others.
/// Thread-safe: every member may be called from any thread. Never calls a HeadListener with its lock held.
class Agent {
public:
  virtual ~Agent() = default;

  virtual void run(RunOrder order) = 0;
  virtual void send(SendOrder order) = 0;
  virtual void notify(NotifyOrder order) = 0;
  virtual void forget(ForgetOrder order) = 0;
  virtual void discard(DiscardOrder order) = 0;
  /// The head's agent only.
  virtual void settle(SettleOrder order) = 0;

  /// Runs one ready task on the calling thread, if there is one that needs a single core. Returns whether it did. For a launcher
  /// that has too many unfinished tasks behind it.
  virtual bool help() = 0;

  /// Starts nothing more; tasks that are running finish. Used when the program has failed.
  virtual void cancel() = 0;
};

/// Gives orders to any rank: to this rank's agent directly, to another by message, batched. Thread-safe.
/// Orders for one rank are carried in the order of the calls.
class OrderDesk {
public:
  virtual ~OrderDesk() = default;
  virtual void run(Rank rank, RunOrder order) = 0;
  virtual void send(Rank rank, SendOrder order) = 0;
  virtual void notify(Rank rank, NotifyOrder order) = 0;
  virtual void forget(Rank rank, ForgetOrder order) = 0;
  virtual void discard(Rank rank, DiscardOrder order) = 0;
  /// To the head's own rank. Only given when that has devices.
  virtual void settle(SettleOrder order) = 0;
  /// Messages collected so far leave now. Called at the end of a launch, before a wait, and after news that led to orders.
  virtual void flush() = 0;
  virtual bool helpLocally() = 0;
};

} // namespace streamap
