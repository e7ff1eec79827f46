// StreamMAP runtime: which task goes where next: those that wait.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "assign/placer_state.h"

namespace streamap {
namespace {

/// Of the tasks that wait, so many of the least urgent are looked at for one that slower processors suit best.
constexpr std::size_t mostLookedAt = 8;

} // namespace

void Placer::State::enqueue(Ticket ticket) {
  PlacedTask &task = of(ticket);
  Queue &queue = queues[static_cast<std::size_t>(task.facts.demand.value)];
  task.stage = PlacedTask::Stage::Waiting;
  queue.heap.push_back(ticket);
  std::push_heap(queue.heap.begin(), queue.heap.end(), [this](Ticket a, Ticket b) { return later(a, b); });
  if (queue.heap.front() == ticket)
    queue.blockedAt = 0;
  task.backlog = 0;
  if (!policy.waits() || task.facts.profile == noProfile || queue.shelves.size() < 2)
    return;
  Seconds least = std::numeric_limits<Seconds>::infinity();
  for (const std::size_t k : queue.shelves) {
    const Shelf &shelf = shelves[k];
    const Estimates::Guess guess = estimates.guess(task.facts.profile, shelf.group, task.facts.cost);
    if (!guess.known || guess.time >= least || shelf.healthy == 0)
      continue;
    least = guess.time;
    task.fastest = k;
    const ProcessorId example = shelf.members[0];
    task.backlog = guess.time * unitsOn(queue, example) / loadOf(example).capacity;
  }
  shelves[task.fastest].backlog += task.backlog;
}

void Placer::State::leaveBacklog(PlacedTask &task) {
  Shelf &shelf = shelves[task.fastest];
  shelf.backlog = std::max(0.0, shelf.backlog - std::exchange(task.backlog, 0));
}

/// \p at is 0, or that of a leaf.
Ticket Placer::State::dequeue(Queue &queue, std::size_t at) {
  const auto order = [this](Ticket a, Ticket b) { return later(a, b); };
  auto &heap = queue.heap;
  const Ticket ticket = heap[at];
  if (at == 0) {
    std::pop_heap(heap.begin(), heap.end(), order);
    heap.pop_back();
  } else {
    assert(2 * at + 1 >= heap.size());
    heap[at] = heap.back();
    heap.pop_back();
    if (at < heap.size())
      std::push_heap(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(at) + 1, order);
  }
  leaveBacklog(of(ticket));
  return ticket;
}

bool Placer::State::hold(Ticket ticket) {
  for (const Ticket before : ties.after) {
    PlacedTask &earlier = of(before);
    assert(earlier.stage == PlacedTask::Stage::Placed);
    if (!earlier.isLong)
      continue;
    earlier.holds.push_back(ticket);
    of(ticket).stage = PlacedTask::Stage::Held;
    return true;
  }
  return false;
}

void Placer::State::releaseHeld(PlacedTask &task) {
  // The list is not touched by what is done with its members: these are not placed yet.
  for (const Ticket held : task.holds)
    if (of(held).stage == PlacedTask::Stage::Withdrawn)
      leave(held);
    else
      enqueue(held);
  task.holds.clear();
}

/// Whether its best member would be given something now.
bool Placer::State::hasRoom(const Shelf &shelf) const {
  const int best = shelf.order.best();
  return best != Tournament::nobody &&
         loads[static_cast<std::size_t>(shelf.members[static_cast<std::size_t>(best)].value)].open();
}

/// Among the least urgent: the one that loses least by running on another processor than the fastest; of those alike the least
/// urgent. A place in the heap: a leaf.
std::size_t Placer::State::bestToSpill(const Queue &queue) const {
  const std::size_t size = queue.heap.size();
  const std::size_t from = std::max(size / 2, size - std::min(size, mostLookedAt));
  std::size_t best = size - 1;
  double bestLoss = std::numeric_limits<double>::infinity();
  for (std::size_t at = from; at < size; ++at) {
    const PlacedTask &task = tasks[queue.heap[at].value];
    if (task.stage != PlacedTask::Stage::Waiting || task.backlog == 0)
      continue;
    const Seconds fastest = estimates.guess(task.facts.profile, shelves[task.fastest].group, task.facts.cost).time;
    double loss = std::numeric_limits<double>::infinity();
    for (const std::size_t k : queue.shelves)
      if (const Shelf &shelf = shelves[k]; k != task.fastest && hasRoom(shelf))
        loss = std::min(loss, estimates.guess(task.facts.profile, shelf.group, task.facts.cost).time / fastest);
    if (loss < bestLoss || (loss == bestLoss && later(queue.heap[at], queue.heap[best]))) {
      best = at;
      bestLoss = loss;
    }
  }
  return best;
}

Ticket Placer::State::spill(Queue &queue, TaskView &view, Seconds now, const Offer *&best) {
  while (!queue.heap.empty()) {
    const std::size_t at = bestToSpill(queue);
    const Ticket ticket = queue.heap[at];
    PlacedTask &task = of(ticket);
    if (task.stage == PlacedTask::Stage::Withdrawn) {
      leave(dequeue(queue, at));
      continue;
    }
    const auto hasRoomFor = [&](std::size_t k) { return k != task.fastest && hasRoom(shelves[k]); };
    if (task.backlog == 0 || std::none_of(queue.shelves.begin(), queue.shelves.end(), hasRoomFor))
      return noTicket; // nobody knows where it runs fastest, or all are full
    ties.clear();
    view.look(task.facts.id, ties);
    if (hold(ticket)) {
      dequeue(queue, at);
      continue;
    }
    collectOffers(task, queue, now);
    best = nullptr;
    const Offer *patient = nullptr; // the best of all, with or without room
    for (const Offer &offer : offers) {
      if (offer.open && (!best || policy.compare(offer, *best).order < 0))
        best = &offer;
      if (!patient || policy.compare(offer, *patient).order < 0)
        patient = &offer;
    }
    if (!best)
      return noTicket;
    const Shelf &shelf = shelves[task.fastest];
    const Seconds others = shelf.healthy > 0 ? shelf.backlog / shelf.healthy : 0;
    if (best != patient && best->finish >= patient->finish + others)
      return noTicket;
    return dequeue(queue, at);
  }
  return noTicket;
}

} // namespace streamap
