// StreamMAP runtime: the head's state machine. Internal to head/.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assign/assigner.h"
#include "base/adaptive_mutex.h"
#include "base/interval_map.h"
#include "data/directory.h"
#include "graph/dependences.h"
#include "graph/launch_plan.h"
#include "head/event_log.h"
#include "head/head.h"
#include "head/task.h"
#include "head/waiters.h"

namespace streamap {

/// Transfers planned for one task (or gather), one order for each source, until they are given out.
class TransferGroups;

/// Guarded by `mutex` as a whole, except for what never changes after construction. Functions expect the mutex to be held unless
/// they say otherwise.
struct HeadState final : AffinitySource {
  explicit HeadState(HeadSetup given);

  // ---- Never changes
  // ------------------------------------------------------------------------------------------------------------
  const HeadSetup setup;
  /// A device of some rank.
  struct DevicePlace {
    Rank rank;
    MemoryIndex memory;
    const DeviceOffer *offer;
  };
  const std::vector<DevicePlace> devices; ///< of all ranks
  const bool alone; ///< one rank without devices: everything is at home, and no directory, transfer or placement is needed
  ClusterSize clusterSize;
  int widestRank = 0;
  ByteRun mainStack; ///< of the thread that made the head

  // ---- The program so far
  // -------------------------------------------------------------------------------------------------------
  AdaptiveMutex mutex;
  EventLog log;
  TaskPool pool;
  DependenceMap dependences;
  Assigner assigner;                      ///< idle with one rank
  std::optional<Assigner> deviceAssigner; ///< of G tasks to `devices`, as if these were ranks
  bool homeDevicesUsed = false;           ///< a G task has been placed on the head's rank
  Directory directory;                    ///< empty with one rank
  IntervalMap<const streamap_task *>
      owned; ///< launched on since the last wait for it; with one rank only what lies on main's stack
  Waiters waiters;
  std::atomic<std::size_t> unfinished = 0; ///< bodies
  std::uint64_t launches = 0;
  std::uint64_t lastVersion = originalVersion.value;
  EventId forgotten = happened;
  std::size_t pruneAt = smallestPruned; ///< pieces of the directory
  static constexpr std::size_t smallestPruned = std::size_t{1} << 16;
  std::vector<std::uint32_t> outstandingSends; ///< by rank: transfers that are not known to have arrived
  struct Departure {
    EventId transfer;
    Task *gather;
  };
  std::vector<Departure> awaitedDepartures;
  enum class Subject : std::uint8_t { NoGpu, RunsWhole };
  /// What becomes of the G tasks of a launch.
  struct DeviceDecision {
    std::shared_ptr<const std::vector<bool>> allowed; ///< null: they run their C version
    std::string reason;                               ///< why; empty: there are no devices
  };
  std::set<std::pair<const streamap_task *, Subject>> noticed; ///< what the user has been told
  bool failed = false;
  std::atomic<bool> closed = false; ///< the last wait is over

  bool done(EventId event) const { return log.done(event); }
  auto asksDone() const {
    return [this](EventId event) { return log.done(event); };
  }
  Version newVersion() { return Version{++lastVersion}; }

  // ---- Launching (launch.cpp)
  // ---------------------------------------------------------------------------------------------------
  /// No lock held.
  Outcome launch(const streamap_task &task, const void *pack);
  /// Which devices can run the G tasks of the launch. No lock held.
  DeviceDecision decideDevices(const LaunchPlan &plan, const streamap_task &task,
                               const std::shared_ptr<const LaunchPack> &pack) const;
  void makeRoom(std::unique_lock<AdaptiveMutex> &lock);
  std::shared_ptr<LaunchPack> packFor(const streamap_task &task, std::vector<std::byte> bytes) const;
  void giveAllHere(const LaunchPlan &plan, const std::shared_ptr<const LaunchPack> &pack, std::unique_lock<AdaptiveMutex> &lock);
  Task *newBody(const LaunchPlan &plan, const PlannedTask &planned, const std::shared_ptr<const LaunchPack> &pack);
  void queueAll(const LaunchPlan &plan, const std::shared_ptr<const LaunchPack> &pack,
                const std::shared_ptr<const std::vector<bool>> &allowed);
  Task *newCombination(const LaunchPlan &plan, const ReductionPlan &reduction, std::vector<Access> &accesses);
  void noteOwned(const LaunchPlan &plan, const streamap_task &task);
  std::vector<std::string> noticesFor(const LaunchPlan &plan, const streamap_task &task, const DeviceDecision &decision);

  // ---- Order and place (placement.cpp)
  // ------------------------------------------------------------------------------------------
  /// Makes \p task wait for its predecessors' placement, and queues it if there are none to wait for.
  void enter(Task &task);
  void becomeReady(Task &task);
  void placeAll();
  void place(Task &task, Rank rank);
  Assigner &assignerOf(const Task &task) { return task.device == Task::noDevice ? assigner : *deviceAssigner; }
  /// The task's place as its assigner numbers it.
  static Rank assignedPlace(const Task &task) { return task.device == Task::noDevice ? task.rank : Rank{task.device}; }
  void affinities(EventId task, std::vector<Affinity> &ties) override;
  void tell(Task &task, Rank to);

  // ---- Data (transfers.cpp)
  // -----------------------------------------------------------------------------------------------------
  void fetch(ByteRun run, Rank to, Task &task, std::vector<EventId> &after, TransferGroups &groups);
  Copy chooseSource(const Piece &piece, Rank to, const TransferGroups &groups) const;
  std::uint64_t giveOut(TransferGroups &groups, Task &task);
  void transferDone(EventId transfer);

  // ---- Completion (completion.cpp)
  // ----------------------------------------------------------------------------------------------
  void bodyDone(Task &task);
  void releaseFinishFollowers(Task &task);
  void forgetOldEvents();
  void wakeWaiters();
  void pruneDirectory();
  void goOn(std::unique_lock<AdaptiveMutex> &lock);
  bool satisfied(const Waiter &waiter) const;

  // ---- Waits (gather.cpp)
  // -------------------------------------------------------------------------------------------------------
  Outcome wait(std::unique_lock<AdaptiveMutex> &lock, Waiter &waiter);
  /// The owned parts of the runs.
  RunSet ownedParts(std::span<const ByteRun> runs) const;
  void startPseudoTask(TaskKind kind, std::span<const ByteRun> runs, Waiter &waiter);
  void placeGather(Task &gather);
  void placeDiscard(Task &discard);
  void pendingDone(Task &pseudo);
  bool orderDiscards(Task &discard);
  bool orderSettling(Task &gather);
  void finishGather(Task &gather);
  void leaveReader(const Task &reader, const Task &gather);
  void finishPseudoTask(Task &pseudo);
  /// Returns whether anybody waited for it.
  bool departed(EventId transfer);
  /// \p runs is a RunSet. No lock held.
  Outcome waitOnRuns(std::span<const ByteRun> runs);
  /// Waits for users of the runs without moving anything: all that one rank needs.
  Outcome waitHere(std::unique_lock<AdaptiveMutex> &lock, std::span<const ByteRun> runs);

  // ---- The end (finish.cpp)
  // -----------------------------------------------------------------------------------------------------
  std::optional<std::string> outOnDeadStack(HomeAddress deadStack) const;
  /// Owned bytes whose memory is gone cannot be given back: \p when says what main did too late. \p runs is a RunSet.
  std::optional<std::string> outInUnmappedPages(std::span<const ByteRun> runs, const char *when) const;

  /// Marks the program as failed. \p lock is released; the first call tells the user.
  Outcome fail(std::unique_lock<AdaptiveMutex> &lock, const std::string &text);
};

/// "file:line: " of a task's pragma.
std::string placeOf(const streamap_task &task);

} // namespace streamap
