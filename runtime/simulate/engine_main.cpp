// StreamMAP simulator: main, and the graph of what it launches.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "simulate/engine.h"

namespace streamap::simulate {

Seconds Engine::timeBefore(const Step &step) const {
  std::uint64_t launched = 0;
  if (step.kind == Step::Kind::Launch)
    launched = step.count;
  else if (step.kind == Step::Kind::Split)
    launched = program.splits[step.first].parts.size();
  return step.before + static_cast<double>(launched) * cluster.launchTime;
}

/// Main runs until it has to wait for something.
void Engine::goOnWithMain() {
  while (!mainIsDone && outcome.stopped.empty() && !error) {
    if (at == program.steps.size()) {
      mainIsDone = true;
      outcome.makespan = now;
      return;
    }
    const Step &step = program.steps[at];
    const bool launches = step.kind == Step::Kind::Launch || step.kind == Step::Kind::Split;
    if (launches && unfinished >= setup.maxTasks) {
      mainWaitsForRoom = true;
      return;
    }
    if (const Seconds before = timeBefore(step); before > 0 && !timeIsSpent) {
      timeIsSpent = true;
      events.add(now + before, EventKind::MainGoesOn, 0);
      return;
    }
    timeIsSpent = false;
    ++at;
    if (!takeStep(step))
      return;
  }
}

/// Returns whether main goes on at once.
bool Engine::takeStep(const Step &step) {
  switch (step.kind) {
  case Step::Kind::Launch:
    for (std::uint32_t k = 0; k < step.count; ++k) {
      const ProgramTask &task = program.tasks[step.first + k];
      enter(task, program.usesOf(task));
    }
    placeAll();
    return true;
  case Step::Kind::Split:
    launchSplit(program.splits[step.first]);
    placeAll();
    return true;
  case Step::Kind::WaitOn:
    startWait(std::span(program.waitedFor).subspan(step.first, step.count));
    break;
  case Step::Kind::Wait:
    allComesHome = true;
    startWait(awayList);
    break;
  case Step::Kind::Finish:
    break;
  }
  mainWaits = true;
  return waitIsOver();
}

/// One task a part, each with the blocks that are its share.
void Engine::launchSplit(const SplitLaunch &split) {
  const std::span blocks = std::span(program.blocks).subspan(split.firstBlock, split.blocks);
  ProgramTask part = blocks.front();
  part.cost = 0;
  part.uses = 0;
  for (const ProgramTask &block : blocks)
    part.cost += block.cost / static_cast<double>(split.parts.size());
  std::vector<double> weights(split.parts.size(), 1.0);
  std::vector<ClassId> cutFor;
  if (split.weighted) {
    std::vector<DemandId> asked;
    for (const Resource resource : split.parts) {
      part.resource = resource;
      asked.push_back(demandOf(part, {}));
    }
    if (auto speeds = placer.weights(asked, profileOf(part), &cutFor); !speeds.empty())
      weights = std::move(speeds);
  }
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double behind = 0;
  std::size_t from = 0;
  for (std::size_t k = 0; k < split.parts.size(); ++k) {
    behind += weights[k];
    const std::size_t until =
        k + 1 == split.parts.size() ? blocks.size() : static_cast<std::size_t>(std::lround(behind / all * split.blocks));
    if (until <= from)
      continue;
    ProgramTask &made = parts.emplace_back(blocks[from]);
    made.resource = split.parts[k];
    made.cost = 0;
    made.uses = 0;
    for (; from < until; ++from) {
      made.cost += blocks[from].cost;
      made.uses += blocks[from].uses;
    }
    enter(made, program.usesOf(made), cutFor.empty() ? ClassId{-1} : cutFor[k]);
  }
}

void Engine::enter(const ProgramTask &task, std::span<const Use> uses, ClassId cutFor) {
  std::uint32_t index = 0;
  if (idleTasks.empty()) {
    index = static_cast<std::uint32_t>(tasks.size());
    tasks.push_back(std::make_unique<LiveTask>());
  } else {
    index = idleTasks.back();
    idleTasks.pop_back();
  }
  LiveTask &made = live(index);
  made.what = &task;
  made.uses = uses;
  made.cutFor = cutFor;
  made.number = static_cast<std::uint32_t>(liveOf.size());
  liveOf.push_back(index);
  ++outcome.tasks;
  ++unfinished;
  made.stage = Stage::Waiting;
  made.profile = profileOf(task);
  made.memory = task.memory;
  for (const Use &use : uses)
    made.memory += Bytes{program.bytesOf(use.datum)};
  findPredecessors(made);
  for (const Earlier &earlier : made.predecessors)
    if (LiveTask &before = live(indexOf(earlier.number)); before.stage < Stage::Placed) {
      before.followers.push_back(index);
      ++made.awaited;
    }
  if (made.awaited == 0)
    becomeReady(made);
}

/// The unfinished tasks that it must follow: for each datum the last writer, and before a write the readers since.
void Engine::findPredecessors(LiveTask &task) {
  found.clear();
  const auto add = [&](std::uint32_t number, bool readsFrom) {
    if (number != nothing && number != task.number && indexOf(number) != nothing)
      found.push_back({number, readsFrom});
  };
  for (const Use &use : task.uses) {
    LastUses &last = lastUses[use.datum.value];
    add(last.writer, reads(use.mode));
    if (writes(use.mode)) {
      for (const std::uint32_t reader : last.readers)
        add(reader, false);
      last.readers.clear();
      last.writer = task.number;
      continue;
    }
    if (const std::uint32_t count = last.readers.size(); count >= 2 && (count & (count - 1)) == 0) {
      auto *const kept = std::remove_if(last.readers.begin(), last.readers.end(),
                                        [&](std::uint32_t number) { return indexOf(number) == nothing; });
      last.readers.truncate(static_cast<std::uint32_t>(kept - last.readers.begin()));
    }
    last.readers.push_back(task.number);
  }
  std::sort(found.begin(), found.end(), [](const Earlier &a, const Earlier &b) {
    return a.number != b.number ? a.number < b.number : a.readsFrom > b.readsFrom;
  });
  task.predecessors.clear();
  for (const Earlier &earlier : found)
    if (task.predecessors.empty() || task.predecessors.back().number != earlier.number)
      task.predecessors.push_back(earlier);
}

ProfileId Engine::profileOf(const ProgramTask &task) {
  const auto [where, fresh] = profiles.try_emplace({task.function, sizeClassOf(task.cost)}, noProfile);
  if (!fresh)
    return where->second;
  const ProfileId profile = estimates.profile(estimates.function(program.functions[task.function].name), task.cost);
  where->second = profile;
  if (!setup.history)
    return profile;
  ProgramTask typical = task;
  typical.stretch = 1;
  for (std::size_t k = 0; k < table.classes().size(); ++k) {
    const ClassId which{static_cast<int>(k)};
    const Seconds time = runTime(program, typical, table[table[which].example]);
    estimates.restore(profile, which, {time, time, time});
  }
  return profile;
}

DemandId Engine::demandOf(const ProgramTask &task, Bytes memory) {
  // What fits on the smallest device fits on all.
  const Bytes limit = memory <= smallestDevice ? Bytes{} : memory;
  const auto [where, fresh] =
      demands.try_emplace({task.resource, static_cast<int>(task.cores), static_cast<int>(task.share), limit.value}, DemandId{});
  if (!fresh)
    return where->second;
  Demand demand;
  demand.onCores = task.resource != Resource::Device;
  demand.onDevice = task.resource != Resource::Core;
  demand.cores = task.cores;
  demand.share = task.share;
  demand.memory = limit;
  Judgement judgement = judge(table, demand);
  if (!judgement.anywhere() && task.resource == Resource::Device) { // its C version
    demand.onCores = true;
    demand.onDevice = false;
    judgement = judge(table, demand);
  }
  if (!judgement.anywhere() && !error)
    error =
        Error{"a task of " + program.functions[task.function].name + " can run nowhere in this cluster: " + judgement.why(), {}};
  if (!error)
    where->second = placer.intern(judgement);
  return where->second;
}

void Engine::becomeReady(LiveTask &task) {
  const DemandId demand = demandOf(*task.what, task.memory);
  if (error)
    return;
  if (!cluster.breakages.empty() && !placer.canServe(demand))
    return stop("nothing is left that can run a task of " + program.functions[task.what->function].name);
  TaskFacts facts;
  facts.id = task.number;
  facts.demand = demand;
  facts.profile = task.profile;
  facts.cost = task.what->cost;
  facts.priority = task.what->priority;
  facts.memory = task.memory;
  facts.cutFor = task.cutFor;
  task.stage = Stage::Ready;
  const double begin = clock();
  task.ticket = placer.ready(facts, now);
  outcome.assignTime += clock() - begin;
}

// ---- Waits

/// Main needs \p data at home: what is not there comes as soon as its last writer is placed.
void Engine::startWait(std::span<const DatumId> data) {
  for (const DatumId datum : data) {
    if (wanted[datum.value])
      continue;
    wanted[datum.value] = true;
    const std::uint32_t writer = lastUses[datum.value].writer;
    const std::uint32_t index = writer == nothing ? nothing : indexOf(writer);
    if (index == nothing || live(index).stage >= Stage::Placed)
      wantHome(datum);
    if (index != nothing && !live(index).mainWaits) {
      live(index).mainWaits = true;
      ++mainTasks;
    }
  }
}

/// The current version is the one that main waits for: if it is not at home, it is sent.
void Engine::wantHome(DatumId datum) {
  const std::uint32_t transfer = requestCopy(current[datum.value], headRank, true);
  if (transfer == nothing || transfers[transfer].forMain)
    return;
  transfers[transfer].forMain = true;
  ++homeTransfers;
}

bool Engine::waitIsOver() {
  const Step::Kind kind = program.steps[at - 1].kind;
  if (homeTransfers > 0 || (kind == Step::Kind::WaitOn ? mainTasks > 0 : unfinished > 0))
    return false;
  mainWaits = allComesHome = false;
  const auto returned = [&](DatumId datum) {
    wanted[datum.value] = false;
    away[datum.value] = false;
  };
  if (kind == Step::Kind::WaitOn) {
    const Step &step = program.steps[at - 1];
    for (std::uint32_t k = 0; k < step.count; ++k)
      returned(program.waitedFor[step.first + k]);
    std::erase_if(awayList, [&](DatumId datum) { return !away[datum.value]; });
  } else if (kind == Step::Kind::Wait) {
    std::for_each(awayList.begin(), awayList.end(), returned);
    awayList.clear();
  }
  return true;
}

/// Something has happened that main may have waited for.
void Engine::mainWasWaiting() {
  if (mainWaits) {
    if (waitIsOver())
      goOnWithMain();
  } else if (mainWaitsForRoom && unfinished <= setup.maxTasks - setup.maxTasks / 8 - 1) {
    mainWaitsForRoom = false;
    goOnWithMain();
  }
}

} // namespace streamap::simulate
