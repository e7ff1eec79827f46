// StreamMAP runtime: the agent of a rank, with its slots.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <vector>

#include "data/mirror.h"
#include "exec/agent.h"

namespace streamap {

class RankMemory;
class TaskTrace;
struct Counters;

/// What an agent does beyond its own rank. Called from any thread, without a lock of the agent held.
class AgentOutlet {
public:
  virtual ~AgentOutlet() = default;
  /// The events of the order have happened: its bytes can be read and sent.
  virtual void transfer(SendOrder order) = 0;
  /// Tells another rank that `event` has happened.
  virtual void tell(Rank to, EventId event) = 0;
  /// Tells the head, in the order in which things were done. Calls do not overlap.
  virtual void completed(const std::vector<Completion> &done) = 0;
  /// There is something to report and no slot to do it: call reportCompletions() soon, on another thread.
  virtual void reportSoon() = 0;
  /// A task has failed. The agent starts nothing more.
  virtual void failed(Failure failure) = 0;
};

/// What an agent is made from. Everything that is referred to outlives it.
struct AgentSetup {
  Rank rank;
  int slots = 1; ///< 0: tasks run only through help()
  Mirror *mirror = nullptr;
  RankMemory *memory = nullptr; ///< null: no devices
  int lanes = 2;                ///< G tasks that a device works on at a time
  AgentOutlet *outlet = nullptr;
  Counters *counters = nullptr;
  TaskTrace *trace = nullptr;     ///< null: no trace
  std::int64_t clockOffsetNs = 0; ///< added to this rank's clock to give the cluster's
};

/// The Agent of design and documentation, plus what messages from other ranks tell it. Thread-safe.
class RankAgent final : public Agent {
public:
  explicit RankAgent(const AgentSetup &setup);
  ~RankAgent() override;

  /// Ends the slots: waits for the running tasks, unless one of them has crashed. Everything else may still be called.
  void stop();

  void run(RunOrder order) override;
  void send(SendOrder order) override;
  void notify(NotifyOrder order) override;
  void forget(ForgetOrder order) override;
  void discard(DiscardOrder order) override;
  void settle(SettleOrder order) override;
  bool help() override;
  void cancel() override;

  /// A transfer has arrived here, or another rank says that an event has happened.
  void happen(EventId event);

  /// A task's thread cannot go on (a signal, a call of exit): nothing more starts.
  void failTask(EventId task, const std::string &what);

  /// Reports completions that no slot has reported yet. For a rank whose slots are asleep or which has none.
  void reportCompletions();

  /// Orders that wait for an event; while there are some, messages are worth a closer look. Any thread.
  std::size_t waiting() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace streamap
