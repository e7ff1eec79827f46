// StreamMAP simulator: the loop over virtual time.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/engine.h"

#include <algorithm>
#include <ctime>

namespace streamap::simulate {

Engine::Engine(const Cluster &described, const Program &launched, const RunSetup &how)
    : cluster(described), program(launched), setup(how), table(described.resources()), estimates(table),
      placer(table, estimates, how.placement), network(table, described.ranks(), described.betweenNodes),
      lastUses(launched.data.size()), current(launched.data.size()), away(launched.data.size()), wanted(launched.data.size()),
      smallestDevice(Bytes{UINT64_MAX}), processors(static_cast<std::size_t>(table.size())),
      outstanding(static_cast<std::size_t>(described.ranks())) {
  liveOf.reserve(launched.tasks.size());
  for (std::uint32_t k = 0; k < launched.data.size(); ++k) {
    current[k] = versions.take(DatumId{k});
    RankCopy home;
    home.memories = home.planned = bitOf(hostMemory);
    versions[current[k]].copies.push_back(home);
  }
  for (int k = 0; k < table.size(); ++k) {
    const ProcessorFacts &facts = table[ProcessorId{k}];
    ProcessorState &processor = processors[static_cast<std::size_t>(k)];
    if (facts.kind() == ProcessorKind::Device) {
      smallestDevice = std::min(smallestDevice, facts.memory);
      processor.admission.emplace(facts.lanes, Bytes{});
      processor.memory.emplace(facts.memory);
    } else {
      processor.idleCores = facts.lanes;
      processor.coreInUse.resize(setup.trace ? static_cast<std::size_t>(facts.lanes) : 0);
    }
  }
  for (std::uint32_t k = 0; k < described.breakages.size(); ++k)
    events.add(described.breakages[k].at, EventKind::Breaks, k);
}

Result<Outcome> Engine::run() {
  goOnWithMain();
  while (!mainIsDone && !error && outcome.stopped.empty()) {
    if (events.empty()) {
      stop("nothing goes on any more, and main still waits");
      break;
    }
    const Event event = events.take();
    now = event.at;
    handle(event);
  }
  if (error)
    return tl::make_unexpected(*error);
  outcome.makespan = now;
  outcome.bytesBetweenNodes = network.bytesBetweenNodes();
  outcome.bytesToDevices = network.bytesToDevices();
  outcome.bytesFromDevices = network.bytesFromDevices();
  outcome.events = events.count();
  for (std::size_t k = 0; k < table.classes().size(); ++k) {
    Outcome::ClassUse use;
    use.which = ClassId{static_cast<int>(k)};
    for (const ProcessorId member : table[use.which].members) {
      use.busy += state(member).busy;
      use.tasks += state(member).tasks;
    }
    outcome.classes.push_back(use);
  }
  return std::move(outcome);
}

double Engine::clock() const {
  timespec time{};
  clock_gettime(setup.coreTime ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void Engine::handle(const Event &event) {
  switch (event.kind) {
  case EventKind::MainGoesOn:
    return goOnWithMain();
  case EventKind::TransferArrives:
    return transferArrives(event.subject);
  case EventKind::Breaks:
    return breakDown(cluster.breakages[event.subject]);
  default:
    break;
  }
  LiveTask &task = live(event.subject);
  if (task.life != event.life)
    return;
  switch (event.kind) {
  case EventKind::OrderArrives:
  case EventKind::NewsArrives:
    return oneLess(event.subject);
  case EventKind::DataIsThere:
    return dataIsThere(task);
  case EventKind::BodyEnds:
    return bodyEnds(task);
  default:
    return headHears(task);
  }
}

Result<Outcome> simulate(const Cluster &cluster, const Program &program, const RunSetup &setup) {
  return std::make_unique<Engine>(cluster, program, setup)->run();
}

} // namespace streamap::simulate
