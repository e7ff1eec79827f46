// StreamMAP runtime: which task goes where next.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A deterministic state machine: facts go in (what there is; tasks that may be placed, have started, have finished; load and
// losses; what time it is), placements with a reason come out. It knows no MPI, no clock, no threads and no devices, so that the
// live head, the simulator, a dry run and a table test get the same answers.
//
// How a driver uses it:
//   Placer placer(table, estimates, setup);
//   Judgement judgement = judge(table, demand);      // once a launch; !anywhere(): an error, why() has the numbers
//   DemandId demand = placer.intern(judgement);
//   Ticket ticket = placer.ready(facts, now);        // when all the task's predecessors are placed
//   while (auto placement = placer.next(view, now)) ...       // after ready(), finished(), load(), lost()
//   placer.started(ticket, now);                     // if known; may be left out
//   placer.finished(ticket, now, ran);               // the ticket is used again after this
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assign/demand.h"
#include "assign/estimates.h"
#include "assign/offer.h"
#include "assign/resources.h"

namespace streamap {

/// A task in the state machine: from ready() to finished().
using Ticket = StrongId<struct TicketTag, std::uint32_t>;
inline constexpr Ticket noTicket{UINT32_MAX};

/// A judgement that the Placer knows.
using DemandId = StrongId<struct DemandTag, int>;

/// A task that may be placed.
struct TaskFacts {
  std::uint64_t id = 0; ///< the driver's: given back with the placement. Of tasks alike the lower one goes first
  DemandId demand;
  ProfileId profile = noProfile;
  double cost = 0; ///< cost(e), 0: not given
  std::int32_t priority = 0;
  Bytes memory; ///< that it takes on a device
};

/// What ties a task to places. Asked for when the task is about to be placed.
struct Ties {
  struct Held {
    Place memory;
    std::uint64_t bytes;
  };
  std::uint64_t reads = 0;   ///< bytes that it reads
  std::vector<Held> held;    ///< who has how much of that, each memory once
  std::vector<Ticket> after; ///< its predecessors that are placed and not finished

  void clear() {
    reads = 0;
    held.clear();
    after.clear();
  }
};

class TaskView {
public:
  virtual ~TaskView() = default;
  /// Fills \p ties, which is empty.
  virtual void look(std::uint64_t id, Ties &ties) = 0;
};

/// The outcome for one task.
struct Placement {
  Ticket ticket;
  std::uint64_t id = 0;
  ProcessorId processor;
  PlacementReason reason = PlacementReason::OnlyOne;
  Seconds start = 0, finish = 0; ///< as estimated
};

/// Hears of each placement in detail. Costs time, so there is one only if somebody asked why.
class PlacementWitness {
public:
  virtual ~PlacementWitness() = default;
  struct Rejection {
    ProcessorId processor;
    std::string why;
  };
  /// \p offers: every processor that could run it, the chosen one among them; \p rejections: every other one.
  virtual void placed(const Placement &placement, const TaskFacts &task, std::span<const Offer> offers,
                      std::span<const Rejection> rejections) = 0;
};

/// Devices kept for urgent tasks: `reserve = gpu:1 for priority >= 5`.
struct Reservation {
  int devices = 0;
  std::int32_t priority =
      0; ///< tasks of this or higher may use them at once; others when they have waited for Placer::Setup::age
};

/// Not thread-safe. Every operation takes O(log n) in the tasks that wait and the processors of a class, times the classes, plus
/// the task's own ties. Nothing is allocated in the long run.
class Placer {
public:
  struct Setup {
    const Policy *policy = nullptr; ///< null: the default
    int lookahead = 4;              ///< a processor is given nothing more while it has that many times what it can run at a time
    /// A waiting task's priority grows by one for each such time: no task is overtaken by one of q priorities more that became
    /// ready more than q times this later.
    Seconds age = 1;
    Reservation reservation;
    PlacementWitness *witness = nullptr;
  };

  /// \p estimates outlives the placer and learns from it.
  Placer(ResourceTable table, Estimates &estimates, const Setup &setup);

  const ResourceTable &table() const { return resources; }

  DemandId intern(const Judgement &judgement);

  // ---- What happens

  /// A task may be placed: its predecessors are.
  Ticket ready(const TaskFacts &task, Seconds now);
  /// It has started to run. Only makes estimates of when it ends better.
  void started(Ticket ticket, Seconds now);
  /// It has finished and ran for \p ran (not counting the bringing of its data); less than 0: not known.
  void finished(Ticket ticket, Seconds now, Seconds ran);
  /// The program does not run it after all: it leaves, placed or not, and nothing is learnt.
  void withdrawn(Ticket ticket, Seconds now);

  /// Others use \p fraction of the processor's speed (0 to 1), and \p memory of its memory.
  void load(ProcessorId processor, double fraction, Bytes memory);
  /// The processor is gone: nothing more is placed there. \p orphans: the unfinished tasks that it was given. For each of them
  /// the driver says finished(), or withdrawn() and ready() again.
  void lost(ProcessorId processor, std::vector<Ticket> &orphans);

  // ---- What is to be done

  /// Places the first task that can be placed now. Nothing: all wait for something to finish.
  std::optional<Placement> next(TaskView &view, Seconds now);

  /// Tasks that wait to be placed.
  std::size_t waiting() const;
  const Load &loadOf(ProcessorId processor) const;
  /// Where a task is; noProcessor while it waits.
  ProcessorId processorOf(Ticket ticket) const;
  /// How much faster than each other tasks of a launch would run, in the order of \p demands, for cutting their index range: the
  /// measured speed of where they would go now. All 1 while too little is known.
  std::vector<double> weights(std::span<const DemandId> demands, ProfileId profile) const;

private:
  ResourceTable resources;
};

} // namespace streamap
