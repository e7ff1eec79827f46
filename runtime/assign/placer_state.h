// StreamMAP runtime: what the state machine of placement keeps. Internal to assign/.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assign/placer.h"
#include "assign/tournament.h"

namespace streamap {

/// A task from ready() to finished().
struct PlacedTask {
  /// Held: it waits, and is in no heap, until a task that it follows has finished.
  enum class Stage : std::uint8_t { Unused, Waiting, Held, Withdrawn, Placed };
  TaskFacts facts;
  Stage stage = Stage::Unused;
  bool strand = false;      ///< counts in Load::strands
  bool trial = false;       ///< counts in Shelf trials
  bool isLong = false;      ///< placed: those that follow it are held until it has finished
  std::int64_t urgency = 0; ///< priority, less one for each age that it came later
  ProcessorId processor = noProcessor;
  std::int32_t units = 0; ///< on that processor
  Seconds estimate = 0, finish = 0;
  std::size_t fastest = 0;   ///< waiting: the shelf in whose backlog it counts
  Seconds backlog = 0;       ///< and how much; 0: in none
  std::vector<Ticket> holds; ///< placed: those that are held until it has finished
};

/// Processors of one class, in the policy's order; those that are reserved for urgent tasks apart.
struct Shelf {
  ClassId group;
  bool reserved = false;
  std::vector<ProcessorId> members;
  Tournament order;    ///< those as fast as their class is
  Tournament slowed;   ///< those that others use, too
  int healthy = 0;     ///< members that are not lost
  Seconds backlog = 0; ///< work of waiting tasks that would run fastest here, as time of one member
};

/// How many times longer than elsewhere in its class tasks take on a processor: by what was seen lately.
double dragNow(const Load &load, Seconds now);
/// The same, with what others are known to use.
double slowness(const Load &load, Seconds now);

/// A demand, and the tasks of that demand that wait.
struct Queue {
  Judgement judgement;
  std::vector<std::size_t> shelves; ///< that may serve it
  bool onlyReserved = false;        ///< whoever may serve it and has not been lost is reserved
  std::vector<Ticket> heap;         ///< the next one in front
  std::uint64_t blockedAt = 0;      ///< State::happenings when its first task found no room
};

struct Placer::State {
  State(const ResourceTable &resources, Estimates &known, const Setup &given);

  const ResourceTable &table;
  Estimates &estimates;
  const Setup setup;
  const Policy &policy;

  std::vector<Load> loads; ///< by ProcessorId
  struct Position {
    std::size_t shelf;
    int member;
  };
  std::vector<Position> positions; ///< by ProcessorId
  std::vector<Shelf> shelves;
  std::vector<std::vector<ProcessorId>> sameKind; ///< by ProcessorId: those of the node, if there are others
  std::vector<PlacedTask> tasks;                  ///< by Ticket
  std::vector<Ticket> unused;
  std::vector<Queue> queues; ///< by DemandId
  std::size_t waiting = 0;
  std::uint64_t happenings = 1; ///< anything that may make room
  std::uint64_t shortRuns = 0;  ///< runs of short tasks of a known kind
  std::uint64_t turns = 0;
  std::vector<std::vector<int>> trials; ///< by ProfileId and ClassId: tasks that are running to find out how long they take

  // Kept for their room.
  Ties ties;
  std::vector<Offer> offers;
  std::vector<std::uint64_t> offered; ///< by ProcessorId: number of the last choice that it was offered for
  std::uint64_t choices = 0;
  ClassId onlyClass{-1}; ///< the class that the task in hand must not leave; -1: none

  PlacedTask &of(Ticket ticket) { return tasks[ticket.value]; }
  Load &loadOf(ProcessorId id) { return loads[static_cast<std::size_t>(id.value)]; }
  int &trialsOf(ProfileId profile, ClassId group);

  // ---- Loads (placer.cpp)
  /// The processor's load has changed: its place in the order may have.
  void touch(ProcessorId id);
  void changeNodeTasks(ProcessorId id, int by);
  void take(PlacedTask &task, const Offer &offer, Seconds now);
  void giveBack(PlacedTask &task, Seconds now);
  void endStrand(PlacedTask &task);
  void learn(const PlacedTask &task, Seconds now, Seconds ran);
  void leave(Ticket ticket);
  /// Of the first task of two queues or of one heap: whether \p a goes after \p b.
  bool later(Ticket a, Ticket b) const;
  /// Whether some processor that has not been lost, and is not reserved if \p unreserved, may serve the queue.
  bool isServed(const Queue &queue, bool unreserved) const;
  /// Takes those that were withdrawn off the front. Returns whether anybody is left.
  bool settleFront(Queue &queue);
  Queue *firstQueue();

  // ---- Waiting (waiting.cpp)
  /// Into its queue's heap, and into the backlog.
  void enqueue(Ticket ticket);
  /// Out of the heap, at that place of it.
  Ticket dequeue(Queue &queue, std::size_t at);
  void leaveBacklog(PlacedTask &task);
  /// If the task of `ties` follows a long one, it is held until that has finished.
  bool hold(Ticket ticket);
  void releaseHeld(PlacedTask &task);
  /// While the first task of the queue waits for a better processor than those with room: one that had better go to these, or
  /// noTicket. `offers` is for it then, and \p best the one to take.
  Ticket spill(Queue &queue, TaskView &view, Seconds now, const Offer *&best);
  std::size_t bestToSpill(const Queue &queue) const;
  bool hasRoom(const Shelf &shelf) const;

  // ---- Choosing (choose.cpp)
  /// Fills `offers` for a task.
  bool staysInClass(const PlacedTask &task, const Queue &queue) const;
  void collectOffers(const PlacedTask &task, const Queue &queue, Seconds now);
  void offer(const PlacedTask &task, const Queue &queue, ProcessorId id, Seconds now);
  void offerBest(const PlacedTask &task, const Queue &queue, const Shelf &shelf, Seconds now);
  bool mayUse(const PlacedTask &task, const Queue &queue, ProcessorId id) const;
  std::int32_t unitsOn(const Queue &queue, ProcessorId id) const;
  Offer describe(const PlacedTask &task, const Queue &queue, ProcessorId id, Seconds now) const;
  Seconds timeOn(const PlacedTask &task, ProcessorId id, Seconds now, bool &known) const;
  /// How long it takes to bring what the task reads and is not in \p to.
  Seconds bringing(Place to, std::uint64_t here) const;
  /// The best of `offers`, and why; null where there are none.
  const Offer *choose(PlacementReason &reason) const;
  void tell(const Placement &placement, const PlacedTask &task, const Queue &queue, Seconds now);
};

} // namespace streamap
