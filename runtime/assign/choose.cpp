// StreamMAP runtime: which task goes where next: the choice among processors.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>

#include "assign/placer_state.h"

namespace streamap {
namespace {

/// Of the memories that have some of a task's data, so many are looked at: those with the most.
constexpr std::size_t mostHolders = 16;
/// And so many as a source of what has to be brought.
constexpr std::size_t mostSources = 4;

} // namespace

bool Placer::State::mayUse(const PlacedTask &task, const Queue &queue, ProcessorId id) const {
  const Shelf &shelf = shelves[positions[static_cast<std::size_t>(id.value)].shelf];
  if (!queue.judgement.classes[static_cast<std::size_t>(shelf.group.value)] || !loads[static_cast<std::size_t>(id.value)].healthy)
    return false;
  if (onlyClass.value >= 0 && shelf.group != onlyClass)
    return false;
  if (shelf.reserved && !queue.onlyReserved && task.facts.priority < setup.reservation.priority)
    return false;
  return queue.judgement.only.empty() || queue.judgement.only[static_cast<std::size_t>(id.value)];
}

std::int32_t Placer::State::unitsOn(const Queue &queue, ProcessorId id) const {
  return table[id].kind() == ProcessorKind::Device ? queue.judgement.share : queue.judgement.cores;
}

Seconds Placer::State::timeOn(const PlacedTask &task, ProcessorId id, Seconds now, bool &known) const {
  const Estimates::Guess guess = estimates.guess(task.facts.profile, table.classOf(id), task.facts.cost);
  known = guess.known;
  return guess.time * slowness(loads[static_cast<std::size_t>(id.value)], now);
}

Seconds Placer::State::bringing(Place to, std::uint64_t here) const {
  if (here >= ties.reads)
    return 0;
  const std::uint64_t away = ties.reads - here;
  if (ties.held.empty())
    return table.transfer(away, home, to);
  Seconds least = -1;
  for (std::size_t k = 0; k < std::min(ties.held.size(), mostSources); ++k) {
    const Place from = ties.held[k].memory;
    if (from == to)
      continue;
    if (const Seconds time = table.transfer(away, from, to); least < 0 || time < least)
      least = time;
  }
  return least < 0 ? table.transfer(away, home, to) : least; // nobody else has it: it comes from where it always is
}

Offer Placer::State::describe(const PlacedTask &task, const Queue &queue, ProcessorId id, Seconds now) const {
  const Load &load = loads[static_cast<std::size_t>(id.value)];
  Offer offer;
  offer.processor = id;
  offer.load = &load;
  offer.units = unitsOn(queue, id);
  std::int32_t freed = 0; // by the tasks that it goes on with
  Bytes freedMemory;
  Seconds ready = now;
  for (const Ticket before : ties.after) {
    const PlacedTask &earlier = tasks[before.value];
    ready = std::max(ready, earlier.finish);
    if (earlier.processor != id || !earlier.strand)
      continue;
    ++offer.continues;
    freed += earlier.units;
    freedMemory += earlier.facts.memory;
  }
  const Place place = table[id].place;
  for (const Ties::Held &held : ties.held)
    if (held.memory == place)
      offer.bytesHere = held.bytes;
  offer.bringing = bringing(place, offer.bytesHere);
  const Bytes free = load.freeMemory();
  offer.fits = offer.units <= load.freeUnits() + freed && (task.facts.memory <= free || task.facts.memory <= free + freedMemory);
  offer.open = load.open() || (offer.continues > 0 && load.strands <= load.lanes && offer.units <= load.capacity);
  if (policy.onlyFitting()) // what others have on an idle device may stay for ever: there it is tried
    offer.open = offer.open && (offer.fits || load.tasks == 0);
  bool known = true;
  const Seconds time = timeOn(task, id, now, known);
  offer.untried = !known && offer.fits && offer.open;
  offer.start = std::max(ready + offer.bringing, offer.fits ? now : load.freeAt);
  offer.finish = offer.start + time;
  return offer;
}

void Placer::State::offer(const PlacedTask &task, const Queue &queue, ProcessorId id, Seconds now) {
  if (offered[static_cast<std::size_t>(id.value)] == choices || !mayUse(task, queue, id))
    return;
  offered[static_cast<std::size_t>(id.value)] = choices;
  Offer one = describe(task, queue, id, now);
  if (one.untried && trialsOf(task.facts.profile, table.classOf(id)) > 0)
    one.untried = false;
  if (one.open || policy.waits())
    offers.push_back(one);
}

void Placer::State::offerBest(const PlacedTask &task, const Queue &queue, const Shelf &shelf, Seconds now) {
  for (const Tournament *order : {&shelf.order, &shelf.slowed}) {
    int best = Tournament::nobody;
    if (policy.prefersFitting())
      best = order->bestWith(unitsOn(queue, shelf.members[0]), task.facts.memory);
    if (best == Tournament::nobody)
      best = order->best();
    if (best != Tournament::nobody)
      offer(task, queue, shelf.members[static_cast<std::size_t>(best)], now);
  }
}

/// Whether some processor of the class that the task was cut for is well, so that it need not look elsewhere.
bool Placer::State::staysInClass(const PlacedTask &task, const Queue &queue) const {
  return task.facts.cutFor.value >= 0 && std::any_of(queue.shelves.begin(), queue.shelves.end(), [&](std::size_t k) {
           return shelves[k].group == task.facts.cutFor && shelves[k].order.best() != Tournament::nobody;
         });
}

void Placer::State::collectOffers(const PlacedTask &task, const Queue &queue, Seconds now) {
  offers.clear();
  ++choices;
  onlyClass = staysInClass(task, queue) ? task.facts.cutFor : ClassId{-1};
  if (ties.held.size() > 1) {
    const auto more = [](const Ties::Held &a, const Ties::Held &b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.memory < b.memory;
    };
    const std::size_t kept = std::min(ties.held.size(), mostHolders);
    std::partial_sort(ties.held.begin(), ties.held.begin() + static_cast<std::ptrdiff_t>(kept), ties.held.end(), more);
    ties.held.resize(kept);
  }
  for (const Ties::Held &held : ties.held)
    for (const ProcessorId id : table.of(held.memory.rank))
      if (id != noProcessor)
        offer(task, queue, id, now);
  for (const Ticket before : ties.after)
    if (const ProcessorId id = of(before).processor; id != noProcessor)
      offer(task, queue, id, now);
  for (const std::size_t k : queue.shelves) {
    const Shelf &shelf = shelves[k];
    if (queue.judgement.only.empty())
      offerBest(task, queue, shelf, now);
    else
      for (const ProcessorId id : shelf.members)
        offer(task, queue, id, now);
  }
}

const Offer *Placer::State::choose(PlacementReason &reason) const {
  const Offer *best = nullptr;
  for (const Offer &offer : offers)
    if (!best || policy.compare(offer, *best).order < 0)
      best = &offer;
  const Offer *next = nullptr;
  for (const Offer &offer : offers)
    if (&offer != best && (!next || policy.compare(offer, *next).order < 0))
      next = &offer;
  reason = next ? policy.compare(*best, *next).reason : PlacementReason::OnlyOne;
  return best;
}

void Placer::State::tell(const Placement &placement, const PlacedTask &task, const Queue &queue, Seconds now) {
  std::vector<Offer> could;
  std::vector<PlacementWitness::Rejection> rejections;
  for (int k = 0; k < table.size(); ++k) {
    const ProcessorId id{k};
    const Load &load = loadOf(id);
    const Shelf &shelf = shelves[positions[static_cast<std::size_t>(k)].shelf];
    if (mayUse(task, queue, id)) {
      const Offer one = describe(task, queue, id, now);
      if (one.open || policy.waits())
        could.push_back(one);
      else
        rejections.push_back({id, "it has been given " + std::to_string(load.given) + " of " + std::to_string(load.ahead) +
                                      " units of work that it may have ahead"});
    } else if (!queue.judgement.classes[static_cast<std::size_t>(shelf.group.value)]) {
      rejections.push_back({id, queue.judgement.reasons[static_cast<std::size_t>(shelf.group.value)]});
    } else if (!load.healthy) {
      rejections.push_back({id, "it was lost"});
    } else if (!queue.judgement.only.empty() && !queue.judgement.only[static_cast<std::size_t>(k)]) {
      rejections.push_back({id, "its UUID is not the one that is asked for"});
    } else {
      rejections.push_back({id, "it is reserved for priority >= " + std::to_string(setup.reservation.priority)});
    }
  }
  setup.witness->placed(placement, task.facts, could, rejections);
}

} // namespace streamap
