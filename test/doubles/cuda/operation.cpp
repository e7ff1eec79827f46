// The CUDA double: what streams are made of.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.h"

#include <pthread.h>
#include <signal.h>

#include <thread>

namespace doubles {

void Operation::run(std::chrono::microseconds delay) {
  for (const auto &earlier : after_)
    earlier->wait();
  after_.clear();
  if (delay.count() > 0)
    std::this_thread::sleep_for(delay);
  if (work_)
    work_();
  work_ = nullptr; // what it holds may be a lot
  when_ = std::chrono::steady_clock::now();
  finished_.store(true, std::memory_order_release);
  finished_.notify_all();
}

struct OperationQueue::State {
  std::function<std::chrono::microseconds()> delay;
  mutable std::mutex mutex;
  std::condition_variable added;
  std::deque<std::shared_ptr<Operation>> waiting;
  std::shared_ptr<Operation> tail;
  bool closed = false;

  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      added.wait(lock, [&] { return closed || !waiting.empty(); });
      if (waiting.empty())
        return;
      const std::shared_ptr<Operation> next = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      next->run(delay());
      lock.lock();
    }
  }
};

OperationQueue::OperationQueue(std::function<std::chrono::microseconds()> delay) : state_(std::make_shared<State>()) {
  state_->delay = std::move(delay);
  // A driver's threads take none of the program's signals; faults of kernels come all the same.
  sigset_t all, before;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread([state = state_] {
    pthread_setname_np(pthread_self(), "cuda-double");
    state->serve();
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

OperationQueue::~OperationQueue() {
  close();
}

void OperationQueue::close() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->added.notify_all();
}

void OperationQueue::add(std::shared_ptr<Operation> operation) {
  const std::lock_guard lock(state_->mutex);
  state_->tail = operation;
  state_->waiting.push_back(std::move(operation));
  state_->added.notify_all();
}

std::shared_ptr<Operation> OperationQueue::tail() const {
  const std::lock_guard lock(state_->mutex);
  return state_->tail;
}

} // namespace doubles
