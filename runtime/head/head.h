// StreamMAP runtime: the head, which turns the calls of main into orders for the ranks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assign/placer.h"
#include "base/ids.h"
#include "base/result.h"
#include "device/properties.h"
#include "exec/agent.h"
#include "exec/orders.h"
#include "streamap/abi.h"

namespace streamap {

/// A device that a rank offers.
struct DeviceOffer {
  DeviceProperties properties;
  Bytes budget; ///< of its memory, for tasks
};

/// What the head must know of one rank.
struct RankSetup {
  NodeId node;
  int slots = 1;                    ///< 0: the rank runs no C tasks
  std::vector<DeviceOffer> devices; ///< device k is MemoryIndex k + 1 of the rank
  std::vector<std::string> labels;  ///< of its node, for require(label(...))
};

class GraphRecord;

/// What the head is made from. Everything in it outlives the head.
struct HeadSetup {
  OrderDesk &desk;
  std::vector<RankSetup> ranks; ///< by rank; at least one, and at least one with slots
  int lookahead = 4;            ///< unfinished tasks a rank is given for each of its slots (one rank alone is given everything)
  std::string policy = "eft";   ///< one of policies() (assign/offer.h)
  Reservation reservation;
  std::string explain;            ///< a file to say in for each task why it went where it went, or empty
  std::string history;            ///< a file with the run times of earlier runs, or empty; read now, written by keepEstimates()
  std::size_t maxTasks = 16384;   ///< unfinished tasks from which on a launch helps or waits
  bool sync = false;              ///< each launch waits until its tasks are done
  int deviceLanes = 2;            ///< G tasks that a device works on at a time
  bool missingGpuIsError = false; ///< a G task that no device can run stops the program; otherwise its C version runs
  GraphRecord *record = nullptr;  ///< hears what main calls; null: nobody wants to know
  Links links;                    ///< between ranks, as measured
  /// The time, in seconds since any moment; the clock of Completion. Null: it stands still, and nothing is learnt about run
  /// times.
  std::function<double()> now;
  /// The key of a descriptor, the same on every rank. Not asked with one rank. Called by launching threads, no lock held.
  std::function<DescriptorKey(const streamap_task &)> keyOf;
  /// Tells the user something worth knowing, once. Called from any thread, no lock of the head held.
  std::function<void(const std::string &text)> notice;
  /// The program cannot go on: says why (once) and ends it with exit code 1. May return; then every call into the head returns
  /// Outcome::Failed. Called from any thread, no lock of the head held.
  std::function<void(const std::string &text)> stop;
};

/// How the program ends.
enum class Ending {
  Return, ///< main returned: tasks are completed, only static storage is written home
  Exit    ///< exit() was called: like a wait
};

/// What became of a call into the head.
enum class Outcome {
  Done,   ///< launched, or home again
  Inline, ///< the caller must run the body itself: the last wait is over
  Failed  ///< the program has failed; the caller must not go on
};

struct HeadState;

/// Rank 0's view of the whole program: launches -> tasks -> dependences -> placements -> orders. One state machine behind one
/// mutex. Thread-safe. Calls the OrderDesk with its own mutex held, so a desk must not call back from within an order.
class Head final : public HeadListener {
public:
  explicit Head(HeadSetup setup);
  ~Head() override;
  Head(const Head &) = delete;
  Head &operator=(const Head &) = delete;

  /// Launches the tasks of one call; \p pack is copied. Returns when they are ordered or queued, not when they have run; helps or
  /// waits first while there are HeadSetup::maxTasks unfinished ones.
  Outcome launch(const streamap_task &task, const void *pack);

  /// Returns when all earlier tasks are done and everything they were given is home.
  Outcome wait();

  /// Returns when the regions' last earlier writers are done, their bytes are home, and no earlier reader needs them there.
  Outcome waitOn(std::span<const streamap_region> regions);
  /// The same for \p bytes bytes at \p address.
  Outcome waitOnBytes(HomeAddress address, std::uint64_t bytes);

  /// Returns when no earlier task needs the regions' bytes any more; they are undefined then, wherever they were.
  Outcome discard(std::span<const streamap_region> regions);

  /// Completes all tasks and takes no more (launch returns Outcome::Inline from here on). \p deadStack: for Ending::Return, stack
  /// addresses below it are dead; data still out there, or in pages that are no longer mapped, is an error (HeadSetup::stop).
  Outcome finish(Ending how, HomeAddress deadStack = 0);

  /// Writes what was learnt about run times to HeadSetup::history. At the end of the program.
  Result<void> keepEstimates() const;

  /// Unfinished tasks now, for progress and tests.
  std::size_t unfinished() const;

  /// Threads that wait inside the head now and are not yet released, for progress and tests.
  std::size_t waiting() const;

  void onCompletions(const std::vector<Completion> &done, Rank from) override;
  void onHomeArrival(EventId transfer) override;
  void onHomeDeparture(EventId transfer) override;
  void onFailure(const Failure &failure) override;

private:
  std::unique_ptr<HeadState> state;
};

} // namespace streamap
