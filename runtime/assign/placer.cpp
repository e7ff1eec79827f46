// StreamMAP runtime: which task goes where next: what happens, and who is next.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/placer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

#include "assign/placer_state.h"

namespace streamap {
namespace {

/// Percent of a device.
constexpr std::int32_t wholeDevice = 100;

/// A processor that was slow for a while is believed to be so for a few seconds more.
constexpr Seconds dragForgotten = 4;
constexpr double dragGain = 0.35, mostDrag = 16;
/// Shorter runs say nothing about the processor: they differ for many reasons.
constexpr Seconds telling = 2e-4;
/// Of so short tasks of a known kind one in so many is looked at: learning would take a good part of their time.
constexpr std::uint64_t shortOnes = 16;
/// A single run this many times longer than usual is an accident.
constexpr double accident = 5;
/// A processor that is slower than its class by this much is offered beside the others, not as one of them.
constexpr double noticed = 1.2;
/// Tasks that follow a task of this length are placed when it has finished. Early placement hides the way of an order, which is
/// short beside it; and a processor that has been given tasks that cannot start yet has no room for those that can.
constexpr Seconds worthHolding = 1e-3;

} // namespace

double dragNow(const Load &load, Seconds now) {
  if (load.drag == 1)
    return 1;
  const Seconds since = std::max(0.0, now - load.dragAt);
  return 1 + (load.drag - 1) / (1 + since / dragForgotten);
}

double slowness(const Load &load, Seconds now) {
  constexpr double mostOutside = 0.95;
  return dragNow(load, now) / (1 - std::min(load.outside, mostOutside));
}

Placer::State::State(const ResourceTable &resources, Estimates &known, const Setup &given)
    : table(resources), estimates(known), setup(given), policy(given.policy ? *given.policy : *policies()[0]),
      loads(static_cast<std::size_t>(table.size())), positions(loads.size()), sameKind(loads.size()), offered(loads.size()) {
  assert(setup.lookahead > 0 && setup.age > 0);
  int kept = setup.reservation.devices;
  std::vector<bool> reserved(loads.size());
  for (int k = table.size(); k-- > 0 && kept > 0;)
    if (table[ProcessorId{k}].kind() == ProcessorKind::Device) {
      reserved[static_cast<std::size_t>(k)] = true;
      --kept;
    }
  for (std::size_t group = 0; group < table.classes().size(); ++group)
    for (const bool wanted : {false, true}) {
      std::vector<ProcessorId> members;
      for (const ProcessorId id : table.classes()[group].members)
        if (reserved[static_cast<std::size_t>(id.value)] == wanted)
          members.push_back(id);
      if (members.empty())
        continue;
      for (std::size_t k = 0; k < members.size(); ++k)
        positions[static_cast<std::size_t>(members[k].value)] = {shelves.size(), static_cast<int>(k)};
      const Tournament order(static_cast<int>(members.size()));
      const int healthy = static_cast<int>(members.size());
      shelves.push_back({ClassId{static_cast<int>(group)}, wanted, std::move(members), order, order, healthy});
    }
  std::map<std::pair<NodeId, ProcessorKind>, std::vector<ProcessorId>> byNode;
  for (int k = 0; k < table.size(); ++k)
    byNode[{table[ProcessorId{k}].node, table[ProcessorId{k}].kind()}].push_back(ProcessorId{k});
  for (int k = 0; k < table.size(); ++k) {
    const ProcessorFacts &facts = table[ProcessorId{k}];
    Load &load = loads[static_cast<std::size_t>(k)];
    const bool device = facts.kind() == ProcessorKind::Device;
    load.lanes = facts.lanes;
    load.capacity = device ? wholeDevice : facts.lanes;
    load.ahead = setup.lookahead * facts.lanes * (device ? wholeDevice : 1);
    load.memory = device ? facts.memory : Bytes{};
    if (const auto &near = byNode[{facts.node, facts.kind()}]; near.size() > 1)
      sameKind[static_cast<std::size_t>(k)] = near;
    touch(ProcessorId{k});
  }
}

int &Placer::State::trialsOf(ProfileId profile, ClassId group) {
  const auto number = static_cast<std::size_t>(profile.value);
  if (number >= trials.size())
    trials.resize(number + 1);
  if (trials[number].empty())
    trials[number].resize(table.classes().size());
  return trials[number][static_cast<std::size_t>(group.value)];
}

// ---- Loads

void Placer::State::touch(ProcessorId id) {
  const Load &load = loads[static_cast<std::size_t>(id.value)];
  const Position at = positions[static_cast<std::size_t>(id.value)];
  const bool isOffered = load.open() || (load.healthy && load.ahead > 0 && policy.waits());
  const bool slow = slowness(load, load.dragAt) > noticed;
  Shelf &shelf = shelves[at.shelf];
  shelf.order.set(at.member, isOffered && !slow, policy.rating(load), load.freeUnits(), load.freeMemory());
  shelf.slowed.set(at.member, isOffered && slow, policy.rating(load), load.freeUnits(), load.freeMemory());
}

void Placer::State::changeNodeTasks(ProcessorId id, int by) {
  const auto &near = sameKind[static_cast<std::size_t>(id.value)];
  if (near.empty())
    loadOf(id).nodeTasks += by;
  for (const ProcessorId other : near) {
    loadOf(other).nodeTasks += by;
    if (policy.ratesNodes() && other != id)
      touch(other);
  }
}

void Placer::State::take(PlacedTask &task, const Offer &offer, Seconds now) {
  Load &load = loadOf(offer.processor);
  task.stage = PlacedTask::Stage::Placed;
  task.processor = offer.processor;
  task.units = offer.units;
  task.estimate = offer.finish - offer.start;
  task.finish = offer.finish;
  task.strand = true;
  task.isLong = task.estimate > worthHolding && task.facts.profile != noProfile &&
                estimates.isMeasured(task.facts.profile, table.classOf(task.processor));
  task.trial = offer.untried;
  if (task.trial)
    ++trialsOf(task.facts.profile, table.classOf(task.processor));
  for (const Ticket before : ties.after)
    if (PlacedTask &earlier = of(before); earlier.processor == offer.processor && earlier.strand)
      endStrand(earlier);
  load.given += task.units;
  load.competing += task.units;
  load.reserved += task.facts.memory;
  ++load.tasks;
  ++load.strands;
  const Seconds work = task.estimate * task.units / load.capacity;
  load.work += work;
  load.freeAt = std::max(load.freeAt, now) + work;
  load.turn = ++turns;
  changeNodeTasks(task.processor, 1);
  touch(task.processor);
}

/// The task does not compete any more: another one goes on where it ends, or it has ended.
void Placer::State::endStrand(PlacedTask &task) {
  Load &load = loadOf(task.processor);
  task.strand = false;
  --load.strands;
  load.competing -= task.units;
  load.reserved -= task.facts.memory;
  assert(load.strands >= 0 && load.competing >= 0);
}

void Placer::State::giveBack(PlacedTask &task, Seconds now) {
  Load &load = loadOf(task.processor);
  if (task.strand)
    endStrand(task);
  if (std::exchange(task.trial, false))
    --trialsOf(task.facts.profile, table.classOf(task.processor));
  load.given -= task.units;
  --load.tasks;
  assert(load.given >= 0 && load.tasks >= 0);
  load.work = std::max(0.0, load.work - task.estimate * task.units / load.capacity);
  if (load.tasks == 0)
    load.work = load.freeAt = 0;
  else
    load.freeAt = std::min(load.freeAt, now + load.work);
  changeNodeTasks(task.processor, -1);
}

/// What a run says about tasks of its kind, and about the processor.
void Placer::State::learn(const PlacedTask &task, Seconds now, Seconds ran) {
  Load &load = loadOf(task.processor);
  load.freeAt += (ran - task.estimate) * task.units / load.capacity;
  if (task.facts.profile == noProfile)
    return;
  const ClassId group = table.classOf(task.processor);
  if (!estimates.isMeasured(task.facts.profile, group))
    return estimates.add(task.facts.profile, task.processor, ran);
  const Seconds usual = estimates.guess(task.facts.profile, group, 0).time;
  if (std::max(ran, usual) < telling) {
    if (++shortRuns % shortOnes == 0)
      estimates.add(task.facts.profile, task.processor, ran);
    return;
  }
  const double ratio = usual > 0 ? std::min(ran / usual, mostDrag) : 1;
  double drag = dragNow(load, now);
  if (ratio > accident && !std::exchange(load.hadAccident, true)) {
    estimates.add(task.facts.profile, task.processor, ran);
    return;
  }
  load.hadAccident = ratio > accident;
  drag += dragGain * (ratio - drag);
  load.drag = std::clamp(drag, 1.0, mostDrag);
  load.dragAt = now;
  estimates.add(task.facts.profile, task.processor, ran / load.drag);
}

// ---- Tasks come and go

bool Placer::State::later(Ticket a, Ticket b) const {
  const PlacedTask &first = tasks[a.value], &second = tasks[b.value];
  return first.urgency != second.urgency ? first.urgency < second.urgency : second.facts.id < first.facts.id;
}

void Placer::State::leave(Ticket ticket) {
  of(ticket).stage = PlacedTask::Stage::Unused;
  of(ticket).processor = noProcessor;
  unused.push_back(ticket);
}

bool Placer::State::settleFront(Queue &queue) {
  while (!queue.heap.empty() && of(queue.heap.front()).stage == PlacedTask::Stage::Withdrawn)
    leave(dequeue(queue, 0));
  return !queue.heap.empty();
}

bool Placer::State::isServed(const Queue &queue, bool unreserved) const {
  for (const std::size_t k : queue.shelves)
    if (const Shelf &shelf = shelves[k]; !(unreserved && shelf.reserved))
      for (const ProcessorId id : shelf.members)
        if (loads[static_cast<std::size_t>(id.value)].healthy &&
            (queue.judgement.only.empty() || queue.judgement.only[static_cast<std::size_t>(id.value)]))
          return true;
  return false;
}

/// Of those whose first task may find room.
Queue *Placer::State::firstQueue() {
  Queue *first = nullptr;
  for (Queue &queue : queues)
    if (queue.blockedAt != happenings && settleFront(queue) && (!first || later(first->heap.front(), queue.heap.front())))
      first = &queue;
  return first;
}

Placer::Placer(const ResourceTable &table, Estimates &estimates, const Setup &setup)
    : state(std::make_unique<State>(table, estimates, setup)) {}

Placer::~Placer() = default;

DemandId Placer::intern(const Judgement &judgement) {
  assert(judgement.anywhere());
  for (std::size_t k = 0; k < state->queues.size(); ++k) {
    const Judgement &known = state->queues[k].judgement;
    if (known.cores == judgement.cores && known.share == judgement.share && known.classes == judgement.classes &&
        known.only == judgement.only)
      return DemandId{static_cast<int>(k)};
  }
  Queue queue;
  queue.judgement = judgement;
  for (std::size_t k = 0; k < state->shelves.size(); ++k) {
    const Shelf &shelf = state->shelves[k];
    const auto allowed = [&](ProcessorId id) {
      return judgement.only.empty() || judgement.only[static_cast<std::size_t>(id.value)];
    };
    if (!judgement.classes[static_cast<std::size_t>(shelf.group.value)] ||
        std::none_of(shelf.members.begin(), shelf.members.end(), allowed))
      continue;
    queue.shelves.push_back(k);
  }
  queue.onlyReserved = !state->isServed(queue, true);
  state->queues.push_back(std::move(queue));
  return DemandId{static_cast<int>(state->queues.size()) - 1};
}

Ticket Placer::ready(const TaskFacts &facts, Seconds now) {
  State &s = *state;
  Ticket ticket{static_cast<std::uint32_t>(s.tasks.size())};
  if (s.unused.empty()) {
    s.tasks.emplace_back();
  } else {
    ticket = s.unused.back();
    s.unused.pop_back();
  }
  PlacedTask &task = s.of(ticket);
  task.facts = facts;
  task.stage = PlacedTask::Stage::Waiting;
  task.strand = task.trial = false;
  task.urgency = facts.priority - static_cast<std::int64_t>(std::floor(now / s.setup.age));
  ++s.waiting;
  s.enqueue(ticket);
  return ticket;
}

void Placer::finished(Ticket ticket, Seconds now, Seconds ran) {
  State &s = *state;
  PlacedTask &task = s.of(ticket);
  assert(task.stage == PlacedTask::Stage::Placed);
  const ProcessorId processor = task.processor;
  if (ran >= 0)
    s.learn(task, now, ran);
  s.giveBack(task, now);
  s.touch(processor);
  s.releaseHeld(task);
  s.leave(ticket);
  ++s.happenings;
}

void Placer::withdrawn(Ticket ticket, Seconds now) {
  State &s = *state;
  PlacedTask &task = s.of(ticket);
  if (task.stage == PlacedTask::Stage::Waiting || task.stage == PlacedTask::Stage::Held) {
    s.leaveBacklog(task);
    task.stage = PlacedTask::Stage::Withdrawn; // leaves when it comes to the front, or is no longer held
    --s.waiting;
    ++s.happenings;
    return;
  }
  assert(task.stage == PlacedTask::Stage::Placed);
  finished(ticket, now, -1);
}

void Placer::load(ProcessorId processor, double fraction, Bytes memory) {
  Load &load = state->loadOf(processor);
  load.outside = std::clamp(fraction, 0.0, 1.0);
  load.foreign = memory;
  state->touch(processor);
  ++state->happenings;
}

void Placer::lost(ProcessorId processor, std::vector<Ticket> &orphans) {
  if (std::exchange(state->loadOf(processor).healthy, false))
    --state->shelves[state->positions[static_cast<std::size_t>(processor.value)].shelf].healthy;
  state->touch(processor);
  for (Queue &queue : state->queues)
    queue.onlyReserved = !state->isServed(queue, true);
  for (std::size_t k = 0; k < state->tasks.size(); ++k)
    if (state->tasks[k].stage == PlacedTask::Stage::Placed && state->tasks[k].processor == processor)
      orphans.push_back(Ticket{static_cast<std::uint32_t>(k)});
  ++state->happenings;
}

std::optional<Placement> Placer::next(TaskView &view, Seconds now) {
  State &s = *state;
  while (s.waiting > 0) {
    Queue *const queue = s.firstQueue();
    if (!queue)
      return std::nullopt;
    Ticket ticket = queue->heap.front();
    s.ties.clear();
    view.look(s.of(ticket).facts.id, s.ties);
    if (s.hold(ticket)) {
      s.dequeue(*queue, 0);
      continue;
    }
    s.collectOffers(s.of(ticket), *queue, now);
    Placement placement{ticket, 0, noProcessor, {}, 0, 0};
    const Offer *best = s.choose(placement.reason);
    if (best && best->open) {
      s.dequeue(*queue, 0);
    } else {
      ticket = s.policy.waits() ? s.spill(*queue, view, now, best) : noTicket;
      if (ticket == noTicket) {
        queue->blockedAt = s.happenings;
        continue;
      }
      placement.reason = PlacementReason::FasterAreFull;
    }
    PlacedTask &task = s.of(ticket);
    const Offer chosen = *best;
    placement.ticket = ticket;
    placement.id = task.facts.id;
    placement.processor = chosen.processor;
    placement.start = chosen.start;
    placement.finish = chosen.finish;
    --s.waiting;
    if (s.setup.witness)
      s.tell(placement, task, *queue, now); // reads the loads before they change
    s.take(task, chosen, now);
    return placement;
  }
  return std::nullopt;
}

std::size_t Placer::waiting() const {
  return state->waiting;
}

std::vector<std::uint64_t> Placer::stranded() const {
  std::vector<std::uint64_t> ids;
  for (const PlacedTask &task : state->tasks)
    if (task.stage == PlacedTask::Stage::Waiting && !canServe(task.facts.demand))
      ids.push_back(task.facts.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

bool Placer::canServe(DemandId demand) const {
  return state->isServed(state->queues[static_cast<std::size_t>(demand.value)], false);
}

const Load &Placer::loadOf(ProcessorId processor) const {
  return state->loadOf(processor);
}

ProcessorId Placer::processorOf(Ticket ticket) const {
  return state->of(ticket).processor;
}

} // namespace streamap
