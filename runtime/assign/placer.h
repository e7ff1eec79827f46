// StreamMAP runtime: which task goes where next.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A deterministic state machine: facts go in (what there is; tasks that may be placed or have finished; load and losses; what
// time it is), placements with a reason come out. It knows no MPI, no clock, no threads and no devices, so that the
// live head, the simulator, a dry run and a table test get the same answers.
//
// How a driver uses it:
//   Placer placer(table, estimates, setup);
//   Judgement judgement = judge(table, demand);      // once a launch; !anywhere(): an error, why() has the numbers
//   DemandId demand = placer.intern(judgement);
//   Ticket ticket = placer.ready(facts, now);        // when all the task's predecessors are placed
//   while (auto placement = placer.next(view, now)) ...       // after ready(), finished(), load(), lost()
//   placer.finished(ticket, now, ran);               // the ticket is used again after this
#pragma once

#include <cstdint>
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
  /// One chunk of a launch that was cut by weights: it was made for processors of this class, and goes to one of them as long as
  /// they are well. -1: to any.
  ClassId cutFor{-1};
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

/// Devices kept for urgent tasks: `reserve = gpu:1 for priority >= 5`. The last ones of the table are kept.
struct Reservation {
  int devices = 0;
  /// Tasks of this priority or higher may use them; others only if nothing else can ever run them.
  std::int32_t priority = 0;
};

/// Not thread-safe. Every operation takes O(log n) in the tasks that wait and the processors of a class, times the classes, plus
/// the task's own ties. Nothing is allocated in the long run.
class Placer {
public:
  struct Setup {
    const Policy *policy = nullptr; ///< null: the default
    int lookahead = 4;              ///< a processor is given nothing more while it has that many times what it can run at a time
    /// A waiting task's priority grows by one for each such time: no task is overtaken by one of q priorities more that became
    /// ready more than q + 1 times this later.
    Seconds age = 1;
    Reservation reservation;
    PlacementWitness *witness = nullptr;
  };

  /// \p table and \p estimates outlive the placer, which teaches the estimates.
  Placer(const ResourceTable &table, Estimates &estimates, const Setup &setup);
  ~Placer();
  Placer(const Placer &) = delete;
  Placer &operator=(const Placer &) = delete;

  /// Makes a judgement known; equal ones get the same number. It must allow some processor.
  DemandId intern(const Judgement &judgement);

  // ---- What happens

  /// A task may be placed: its predecessors are.
  Ticket ready(const TaskFacts &task, Seconds now);
  /// A task that was placed has finished, and ran for \p ran without the bringing of its data; less than 0: not known.
  void finished(Ticket ticket, Seconds now, Seconds ran);
  /// The program does not run it after all, or not there: it leaves, placed or not, and nothing is learnt.
  void withdrawn(Ticket ticket, Seconds now);

  /// Others use \p fraction of the processor's speed (0 to 1), and \p memory of its memory.
  void load(ProcessorId processor, double fraction, Bytes memory);
  /// The processor is gone: nothing more is placed there. \p orphans: the unfinished tasks that it was given. For each of them
  /// the driver says finished(), or withdrawn() and ready() again.
  void lost(ProcessorId processor, std::vector<Ticket> &orphans);

  // ---- What is to be done

  /// Places the first task that can be placed now. Nothing: all that wait do so until something finishes.
  std::optional<Placement> next(TaskView &view, Seconds now);

  /// Tasks that wait to be placed.
  std::size_t waiting() const;
  /// The tasks that wait although nothing is left that may run them, by TaskFacts::id. O(tasks).
  std::vector<std::uint64_t> stranded() const;
  /// Whether some processor that has not been lost may run tasks of that demand; if none does, they wait for ever.
  bool canServe(DemandId demand) const;
  const Load &loadOf(ProcessorId processor) const;
  /// Where a task is; noProcessor while it waits.
  ProcessorId processorOf(Ticket ticket) const;

  /// How a launch's index range should be cut: for each of its tasks, in order, how fast it would run where it would go now, by
  /// what was measured for tasks of even chunks (\p even). Empty: alike, or too little is known. \p cutFor, if given: what each
  /// task's TaskFacts::cutFor is to be; as long as the weights.
  std::vector<double> weights(std::span<const DemandId> demands, ProfileId even, std::vector<ClassId> *cutFor = nullptr) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace streamap
