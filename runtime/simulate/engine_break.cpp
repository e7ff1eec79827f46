// StreamMAP simulator: what breaks, and what becomes of the tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "simulate/engine.h"

namespace streamap::simulate {

void Engine::breakDown(const Breakage &breakage) {
  std::vector<ProcessorId> struck;
  for (int k = 0; k < table.size(); ++k) {
    const Place place = table[ProcessorId{k}].place;
    if (place.rank == breakage.rank && (!breakage.gpu || place.memory.value == *breakage.gpu + 1))
      struck.push_back(ProcessorId{k});
  }
  if (breakage.slowdown > 0) {
    for (const ProcessorId processor : struck)
      state(processor).slowness = breakage.slowdown;
    return;
  }
  std::vector<Ticket> orphans, all;
  for (const ProcessorId processor : struck)
    if (!state(processor).isLost) {
      orphans.clear();
      placer.lost(processor, orphans);
      all.insert(all.end(), orphans.begin(), orphans.end());
      lose(processor);
    }
  if (!breakage.gpu)
    for (std::uint32_t number = 0; number < versions.size(); ++number)
      if (RankCopy *const copy = versions[number].at(breakage.rank); copy && copy->arriving == nothing)
        copy->memories = copy->planned = 0;
  for (const auto &task : tasks)
    if (std::find(all.begin(), all.end(), task->ticket) != all.end() && task->ticket != noTicket)
      startAgain(*task);
  placeAll();
}

/// What only the processor's memory had is gone.
void Engine::lose(ProcessorId id) {
  ProcessorState &processor = state(id);
  processor.isLost = true;
  processor.queue = {};
  processor.loaded.clear();
  processor.lanesInUse = 0;
  processor.idleCores = table[id].kind() == ProcessorKind::Cores ? table[id].lanes : 0;
  if (!processor.memory)
    return;
  processor.admission.emplace(table[id].lanes, Bytes{});
  processor.memory.emplace(table[id].memory);
  const Place place = table[id].place;
  for (std::uint32_t number = 0; number < versions.size(); ++number)
    if (RankCopy *const copy = versions[number].at(place.rank)) {
      copy->memories &= ~bitOf(place.memory);
      copy->planned &= ~bitOf(place.memory);
    }
}

/// A task that was given to a lost processor. One that had ended there has ended, though the head has not heard of it.
void Engine::startAgain(LiveTask &task) {
  if (task.stage == Stage::Ended)
    return;
  ++task.life;
  placer.withdrawn(task.ticket, now);
  becomeReady(task);
}

} // namespace streamap::simulate
