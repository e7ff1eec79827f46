// StreamMAP runtime: a thread on which task bodies run.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/slot_thread.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "exec/crash.h"

namespace streamap {
namespace {

/// Bytes. Address space only: the system gives pages as they are used.
std::size_t stackSize() {
  constexpr std::size_t least = std::size_t{8} << 20, forUnlimited = std::size_t{256} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return forUnlimited;
  return std::max<std::size_t>(least, limit.rlim_cur);
}

struct Work {
  std::string name;
  std::function<void()> run;
};

void *start(void *argument) {
  const std::unique_ptr<Work> work(static_cast<Work *>(argument));
  leaveSignalsToTheProgram();
  pthread_setname_np(pthread_self(), work->name.substr(0, 15).c_str());
  work->run();
  return nullptr;
}

} // namespace

SlotThread::SlotThread(std::string name, std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackSize());
  auto job = std::make_unique<Work>(Work{std::move(name), std::move(work)});
  if (const int error = pthread_create(&thread_, &attributes, start, job.get())) {
    std::fprintf(stderr, "streamap: error: no thread for a slot: %s\n", std::strerror(error));
    std::abort();
  }
  (void)job.release();
  pthread_attr_destroy(&attributes);
}

void SlotThread::join() {
  pthread_join(thread_, nullptr);
}

void SlotThread::detach() {
  pthread_detach(thread_);
}

} // namespace streamap
