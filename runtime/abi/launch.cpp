// StreamMAP runtime: launching and waiting, as generated code calls it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/launch.h"

#include <unistd.h>

#include <atomic>

#include "base/export.h"
#include "exec/current_task.h"
#include "head/head.h"
#include "streamap/abi.h"

namespace streamap {
namespace {

std::atomic<Head *> openHead = nullptr;

/// Calls \p call(Head&), if there is a head and this thread is not inside a task. When the program has failed, another thread is
/// ending it, and this one must not go on with data that is not there.
template <class Call> Outcome withHead(Call call) {
  Head *head = insideTask() ? nullptr : openHead.load(std::memory_order_acquire);
  Outcome outcome = head ? call(*head) : Outcome::Inline;
  while (outcome == Outcome::Failed)
    pause();
  return outcome;
}

} // namespace

void openLaunches(Head &head) {
  openHead.store(&head, std::memory_order_release);
}

void closeLaunches() {
  openHead.store(nullptr, std::memory_order_release);
}

} // namespace streamap

using namespace streamap;

STREAMAP_EXPORT int streamap_launch(const streamap_task *task, const void *pack) {
  return withHead([&](Head &head) { return head.launch(*task, pack); }) == Outcome::Inline ? 1 : 0;
}

STREAMAP_EXPORT void streamap_wait(void) {
  withHead([](Head &head) { return head.wait(); });
}

STREAMAP_EXPORT void streamap_wait_on(const streamap_region *regions, uint32_t count) {
  withHead([&](Head &head) { return head.waitOn({regions, count}); });
}

STREAMAP_EXPORT void streamap_discard(const streamap_region *regions, uint32_t count) {
  withHead([&](Head &head) { return head.discard({regions, count}); });
}

STREAMAP_EXPORT void streamap_wait_on_bytes(const void *address, uint64_t bytes) {
  withHead([&](Head &head) { return head.waitOnBytes(reinterpret_cast<std::uintptr_t>(address), bytes); });
}
