// StreamMAP runtime: the head's state machine. Internal to head/.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "assign/placer.h"
#include "base/adaptive_mutex.h"
#include "base/interval_map.h"
#include "data/directory.h"
#include "graph/dependences.h"
#include "graph/launch_plan.h"
#include "head/event_log.h"
#include "head/explain.h"
#include "head/head.h"
#include "head/task.h"
#include "head/waiters.h"

namespace streamap {

/// Transfers planned for one task (or gather), one order for each source, until they are given out.
class TransferGroups;

/// Guarded by `mutex` as a whole, except for what never changes after construction. Functions expect the mutex to be held unless
/// they say otherwise.
struct HeadState final : TaskView {
  explicit HeadState(HeadSetup given);

  // ---- Never changes
  const HeadSetup setup;
  const ResourceTable processors;
  const bool alone; ///< one rank without devices: everything is at home, and no directory, transfer or placement is needed
  ClusterSize clusterSize;
  int widestRank = 0;
  ByteRun mainStack; ///< of the thread that made the head

  // ---- The program so far
  AdaptiveMutex mutex;
  EventLog log;
  TaskPool pool;
  DependenceMap dependences;
  Estimates estimates;
  std::unique_ptr<PlacementFile> explanations; ///< null: nobody asked
  std::unique_ptr<Placer> placer;              ///< null: one rank alone
  bool homeDevicesUsed = false;                ///< a G task has been placed on the head's rank
  Directory directory;                         ///< empty with one rank
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
  /// Where the tasks of a launch may go.
  struct Demands {
    DemandId cores, device, either;
    bool wantsDevice = false; ///< the launch has G tasks
    bool hasDevice = false;   ///< `device` and `either` are meant; otherwise such tasks run their C version
    std::string reason;       ///< why not; empty: there are no devices
    std::int32_t share = 100;
    bool isMissing() const { return wantsDevice && !hasDevice; }
  };
  /// What was found out about a task function's demands, while nothing but memory differs.
  struct KnownDemands {
    Demands demands;
    Bytes tooLittle, most; ///< good for tasks that take more than the one and no more than the other on a device
  };
  using DemandKey = std::tuple<const streamap_task *, std::int32_t, std::int32_t>; ///< and its cores and share
  std::map<DemandKey, KnownDemands> knownDemands;
  std::map<const streamap_task *, FunctionId> functions;
  std::pair<const streamap_task *, FunctionId> lastFunction; ///< of these, the one that was asked for last
  std::optional<DemandId> anyCores;
  std::set<std::pair<const streamap_task *, Subject>> noticed; ///< what the user has been told
  bool failed = false;
  std::atomic<bool> closed = false; ///< the last wait is over

  bool done(EventId event) const { return log.done(event); }
  auto asksDone() const {
    return [this](EventId event) { return log.done(event); };
  }
  Version newVersion() { return Version{++lastVersion}; }

  // ---- Launching (launch.cpp)
  /// No lock held.
  Outcome launch(const streamap_task &task, const void *pack);
  static void combinationAccesses(const LaunchPlan &plan, const ReductionPlan &reduction, std::vector<Access> &accesses);
  void makeRoom(std::unique_lock<AdaptiveMutex> &lock);
  std::shared_ptr<LaunchPack> packFor(const streamap_task &task, std::vector<std::byte> bytes) const;
  void giveAllHere(const LaunchPlan &plan, const std::shared_ptr<const LaunchPack> &pack, std::unique_lock<AdaptiveMutex> &lock);
  Task *newBody(const LaunchPlan &plan, const PlannedTask &planned, const std::shared_ptr<const LaunchPack> &pack);
  void queueAll(const LaunchPlan &plan, const std::shared_ptr<const LaunchPack> &pack, const Demands &demands);
  Task *newCombination(const LaunchPlan &plan, const ReductionPlan &reduction, std::vector<Access> &accesses);
  void noteOwned(const LaunchPlan &plan, const streamap_task &task);
  std::vector<std::string> noticesFor(const LaunchPlan &plan, const streamap_task &task, const Demands &demands);

  // ---- What tasks ask for (demands.cpp)
  static Demands demandsAlone(const LaunchPlan &plan);
  DemandId combinationDemand();
  Demands demandsOf(const LaunchPlan &plan, const streamap_task &task);
  Demands judgeDemands(const LaunchPlan &plan, const streamap_task &task, Bytes memory);
  /// Gives the task its demand, and what is known of how long it takes.
  void describe(Task &body, const LaunchPlan &plan, const PlannedTask &planned, const Demands &demands, double cost);
  FunctionId functionOf(const streamap_task &task);
  /// For LaunchPlan: how the chunks of a launch should differ. No lock held.
  std::vector<double> weigh(const streamap_task &task, std::span<const PlannedTask> tasks, std::int32_t cores);

  // ---- For the simulator (record.cpp)
  void recordLaunch(const LaunchPlan &plan, const LaunchPack &pack, EventId first) const;

  // ---- Order and place (placement.cpp)
  /// Makes \p task wait for its predecessors' placement, and queues it if there are none to wait for.
  void enter(Task &task);
  void becomeReady(Task &task);
  void placeAll();
  void place(Task &task, ProcessorId processor);
  void fetchAll(Task &task, Place to, std::vector<EventId> &after, TransferGroups &groups);
  /// Takes the task's reductions with it.
  void fillOrder(Task &task, RunOrder &order) const;
  void look(std::uint64_t id, Ties &ties) override;
  /// The device that a task was given is lost. What nothing can serve any more runs its C version.
  void loseDevice(const Task &task);
  /// `saxpy 3 of 8 (saxpy.c:12)`.
  std::string nameOf(EventId id);
  Seconds now() const { return setup.now ? setup.now() : 0; }
  void tell(Task &task, Rank to);

  // ---- Data (transfers.cpp)
  void fetch(ByteRun run, Place place, Task &task, std::vector<EventId> &after, TransferGroups &groups);
  Copy chooseSource(const Piece &piece, Rank to, const TransferGroups &groups) const;
  std::uint64_t giveOut(TransferGroups &groups, Task &task);
  void transferDone(EventId transfer);

  // ---- Completion (completion.cpp)
  void bodyDone(Task &task, const Completion &completion);
  void releaseFinishFollowers(Task &task);
  void forgetOldEvents();
  void wakeWaiters();
  void pruneDirectory();
  void goOn(std::unique_lock<AdaptiveMutex> &lock);
  bool satisfied(const Waiter &waiter) const;

  // ---- Waits (gather.cpp)
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
  std::optional<std::string> outOnDeadStack(HomeAddress deadStack) const;
  /// Owned bytes whose memory is gone cannot be given back: \p when says what main did too late. \p runs is a RunSet.
  std::optional<std::string> outInUnmappedPages(std::span<const ByteRun> runs, const char *when) const;

  /// Marks the program as failed. \p lock is released; the first call tells the user.
  Outcome fail(std::unique_lock<AdaptiveMutex> &lock, const std::string &text);
};

/// "file:line: " of a task's pragma.
std::string placeOf(const streamap_task &task);

} // namespace streamap
