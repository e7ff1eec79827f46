// StreamMAP runtime: the end of the program.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "head/state.h"
#include "head/storage.h"
#include "observe/graph_record.h"

namespace streamap {

std::optional<std::string> HeadState::outOnDeadStack(HomeAddress deadStack) const {
  std::optional<std::string> text;
  ByteRun dead{mainStack.lo, std::min(deadStack, mainStack.hi)};
  owned.forEachIn(dead, [&](ByteRun, const streamap_task *task) {
    if (!text)
      text = placeOf(*task) + "main returned while data of " + task->name +
             " was still out, and it lay in main's own stack frame, which is gone; put `#pragma streamap wait` before the return";
  });
  return text;
}

std::optional<std::string> HeadState::outInUnmappedPages(std::span<const ByteRun> runs, const char *when) const {
  std::optional<std::string> text;
  if (allMapped(runs))
    return text;
  for (ByteRun run : unmappedParts(runs))
    owned.forEachIn(run, [&](ByteRun, const streamap_task *task) {
      if (!text)
        text =
            placeOf(*task) + when + " while data of " + task->name +
            " was still out, and its memory is no longer mapped; put `#pragma streamap wait` or `discard` before it is unmapped";
    });
  return text;
}

Outcome Head::finish(Ending how, HomeAddress deadStack) {
  HeadState &head = *state;
  const RecordedCall call(head.setup.record);
  if (how == Ending::Exit) {
    Outcome outcome = wait();
    if (head.setup.record)
      head.setup.record->ended();
    std::unique_lock lock(head.mutex);
    head.closed = true;
    return outcome;
  }
  RunSet statics = staticStorage();
  if (head.setup.record) {
    head.setup.record->waited(statics);
    head.setup.record->ended();
  }
  head.setup.desk.flush();
  std::unique_lock lock(head.mutex);
  if (head.failed)
    return Outcome::Failed;
  // Before anything else: tasks at home would be writing where this thread's frames are now.
  std::optional<std::string> wrong = head.outOnDeadStack(deadStack);
  if (!wrong)
    wrong = head.outInUnmappedPages(head.ownedParts(std::vector<ByteRun>{{0, UINT64_MAX}}), "main returned");
  if (wrong)
    return head.fail(lock, *wrong);
  Waiter waiter;
  RunSet parts = head.ownedParts(statics);
  head.owned.clear();
  if (!head.alone && !parts.empty())
    head.startPseudoTask(TaskKind::Gather, parts, waiter);
  waiter.below = head.log.next();
  lock.unlock();
  head.setup.desk.flush();
  lock.lock();
  Outcome outcome = head.wait(lock, waiter);
  head.closed = true;
  return outcome;
}

} // namespace streamap
