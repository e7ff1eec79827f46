// StreamMAP simulator: ranks at work.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cassert>

#include "simulate/engine.h"

namespace streamap::simulate {
namespace {

/// The same number from 0 to 1 for the same task in every run.
double chance(std::uint32_t number) {
  std::uint64_t mixed = (std::uint64_t{number} + 1) * 0x9E3779B97F4A7C15ull;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53;
}

} // namespace

Seconds Engine::durationOf(const LiveTask &task) const {
  const double chaos = 1 + setup.noise * (2 * chance(task.number) - 1);
  const ProcessorState &processor = processors[static_cast<std::size_t>(task.processor.value)];
  return runTime(program, *task.what, table[task.processor]) * chaos * processor.slowness;
}

/// One thing less that the task waits for.
void Engine::oneLess(std::uint32_t index) {
  LiveTask &task = live(index);
  if (--task.pending > 0)
    return;
  // After a loss its data may have to come from elsewhere.
  if (!cluster.breakages.empty()) {
    awaitInputs(task);
    if (task.pending > 0)
      return;
  }
  task.stage = Stage::Queued;
  state(task.processor).queue.push({task.what->priority, task.number, index});
  startWhatCan(task.processor);
}

void Engine::startWhatCan(ProcessorId id) {
  ProcessorState &processor = state(id);
  if (table[id].kind() == ProcessorKind::Cores)
    return startOnCores(processor);
  while (!processor.queue.empty() && processor.lanesInUse < table[id].lanes && !processor.lacksMemory) {
    LiveTask &task = live(processor.queue.top().task);
    if (!load(task)) {
      processor.lacksMemory = true;
      return;
    }
    processor.queue.pop();
  }
}

/// The most urgent task is never overtaken by narrower ones, or it might never start.
void Engine::startOnCores(ProcessorState &processor) {
  while (!processor.queue.empty()) {
    const std::uint32_t index = processor.queue.top().task;
    LiveTask &task = live(index);
    if (task.what->cores > processor.idleCores)
      return;
    processor.queue.pop();
    processor.idleCores -= task.what->cores;
    task.stage = Stage::Running;
    Seconds start = now;
    for (const std::uint32_t version : task.reads)
      start = std::max(start, bringToHost(versions[version], rankOf(task.processor), now));
    task.started = start;
    if (setup.trace)
      takeCores(task, processor);
    events.add(start + durationOf(task), EventKind::BodyEnds, index, task.life);
  }
}

void Engine::bodyEnds(LiveTask &task) {
  ProcessorState &processor = state(task.processor);
  const Place place = table[task.processor].place;
  const std::uint64_t bit = bitOf(place.memory);
  task.stage = Stage::Ended;
  task.ran = now - task.started;
  ++processor.tasks;
  processor.busy += task.ran * (onDevice(task) ? task.what->share / 100.0 : task.what->cores);
  if (setup.trace)
    traceEnd(task, processor);
  for (const std::uint32_t number : task.writes) {
    versions[number].writer = nothing;
    versions[number].at(place.rank)->memories = bit;
  }
  if (onDevice(task)) {
    for (const Use &use : task.uses)
      processor.memory->unpin(use.datum);
    processor.admission->end(task.what->share, {});
    --processor.lanesInUse;
    processor.lacksMemory = false;
    admit(task.processor);
  } else {
    processor.idleCores += task.what->cores;
  }
  for (const std::uint32_t transfer : task.outgoing)
    startTransfer(transfer);
  task.outgoing.clear();
  for (const std::uint32_t number : task.reads)
    release(number);
  for (const std::uint32_t number : task.writes)
    release(number);
  task.reads.clear();
  task.writes.clear();
  for (const Waiter waiter : task.behind)
    if (live(waiter.task).life == waiter.life)
      oneLess(waiter.task);
  for (const Waiter waiter : task.toTell)
    events.add(network.tell(place.rank, rankOf(live(waiter.task).processor), now), EventKind::NewsArrives, waiter.task,
               waiter.life);
  task.behind.clear();
  task.toTell.clear();
  startWhatCan(task.processor);
  if (place.rank == headRank)
    headHears(task);
  else
    events.add(network.tell(place.rank, headRank, now), EventKind::HeadHears, indexOf(task), task.life);
}

void Engine::headHears(LiveTask &task) {
  const double begin = clock();
  placer.finished(task.ticket, now, task.ran);
  outcome.assignTime += clock() - begin;
  --unfinished;
  if (task.mainWaits)
    --mainTasks;
  const std::uint32_t index = indexOf(task);
  liveOf[task.number] = nothing;
  const std::uint32_t life = task.life + 1;
  task.predecessors.clear();
  task.followers.clear();
  task.mainWaits = false;
  task.awaited = task.pending = 0;
  task.ticket = noTicket;
  task.life = life;
  idleTasks.push_back(index);
  placeAll();
  mainWasWaiting();
}

/// Which of the cores a task runs on, for the trace.
void Engine::takeCores(LiveTask &task, ProcessorState &processor) {
  task.lanes.clear();
  for (std::size_t core = 0; core < processor.coreInUse.size() && task.lanes.size() < task.what->cores; ++core)
    if (!processor.coreInUse[core]) {
      processor.coreInUse[core] = true;
      task.lanes.push_back(static_cast<std::uint16_t>(core));
    }
}

void Engine::traceEnd(LiveTask &task, ProcessorState &processor) {
  const int lane = task.lanes.empty() ? 0 : task.lanes[0];
  outcome.trace.push_back({task.what->function, task.number, task.processor, lane, task.what->cores, task.started, now});
  for (const std::uint16_t core : task.lanes)
    processor.coreInUse[core] = false;
  task.lanes.clear();
}

} // namespace streamap::simulate
