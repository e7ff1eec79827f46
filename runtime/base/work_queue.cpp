// StreamMAP runtime: work that a thread of its own does in order.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/work_queue.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace streamap {

WorkQueue::WorkQueue() {
  // The program's handlers run where the program's own threads are.
  sigset_t all, before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WorkQueue::~WorkQueue() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void WorkQueue::add(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
  ++added_;
  changed_.notify_all();
}

void WorkQueue::finish() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = added_;
  changed_.wait(lock, [&] { return done_ >= target; });
}

void WorkQueue::run() {
  pthread_setname_np(pthread_self(), "streamap-queue");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ending_ || !work_.empty(); });
    if (work_.empty())
      return;
    {
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
    } // what it holds goes without the lock
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

} // namespace streamap
