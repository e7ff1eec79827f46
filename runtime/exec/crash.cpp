// StreamMAP runtime: a task that crashes is a failure with a name, not the end of a process without one.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/crash.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <thread>

#include "exec/current_task.h"

namespace streamap {
namespace {

constexpr std::array watched{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// What a handler leaves for the reporting thread. One for each thread that may crash; a process that has more is beyond telling.
struct CrashRecord {
  std::atomic<bool> ready{false};
  int signal = 0;
  bool hasAddress = false;
  const void *address = nullptr;
  EventId task;
};

std::array<CrashRecord, 64> records;
std::atomic<std::size_t> taken{0};
sem_t arrived;
std::array<bool, NSIG> leftToSystem{};

/// A handler runs wherever the thread was: it only writes down and posts. Async-signal-safe.
void onSignal(int signal, siginfo_t *info, void *) {
  const CurrentTask &current = currentTask();
  const bool ownFault = info->si_code > 0 || (signal == SIGABRT && info->si_pid == getpid());
  if (!current.inside || !ownFault) {
    // As if we were not here: the fault repeats, or what was sent is sent again, and the system acts.
    struct sigaction byDefault = {};
    byDefault.sa_handler = SIG_DFL;
    sigaction(signal, &byDefault, nullptr);
    if (info->si_code <= 0)
      raise(signal);
    return;
  }
  if (const std::size_t place = taken.fetch_add(1); place < records.size()) {
    CrashRecord &record = records[place];
    record.signal = signal;
    record.hasAddress = signal == SIGSEGV || signal == SIGBUS;
    record.address = info->si_addr;
    record.task = current.task;
    record.ready.store(true, std::memory_order_release);
    sem_post(&arrived);
  }
  parkForEver();
}

std::string describe(const CrashRecord &record) {
  std::ostringstream text;
  text << "signal SIG" << sigabbrev_np(record.signal);
  if (record.hasAddress)
    text << " at address " << (record.address ? record.address : "0x0");
  else if (record.signal == SIGFPE)
    text << " (a division by zero, or another arithmetic trap)";
  return text.str();
}

} // namespace

void rememberSignalHandlers() {
  for (const int signal : watched) {
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    leftToSystem[static_cast<std::size_t>(signal)] = !(current.sa_flags & SA_SIGINFO) && current.sa_handler == SIG_DFL;
  }
}

void watchCrashes(std::function<void(EventId, const std::string &)> report) {
  sem_init(&arrived, 0, 0);
  std::thread([report = std::move(report)] {
    leaveSignalsToTheProgram();
    pthread_setname_np(pthread_self(), "streamap-crash");
    for (std::size_t next = 0; next < records.size();) {
      while (sem_wait(&arrived) != 0 && errno == EINTR) {
      }
      for (; next < records.size() && records[next].ready.load(std::memory_order_acquire); ++next)
        report(records[next].task, describe(records[next]));
    }
  }).detach();
  for (const int signal : watched) {
    if (!leftToSystem[static_cast<std::size_t>(signal)])
      continue;
    struct sigaction ours = {};
    ours.sa_sigaction = onSignal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

namespace {

/// The stack that this thread's handler runs on. A thread that is parked on it never comes to the destructor.
class CrashStack {
public:
  CrashStack() {
    stack_t ours{};
    ours.ss_sp = memory_.get();
    ours.ss_size = size;
    sigaltstack(&ours, &before_);
  }
  /// The one before comes back, unless somebody has put another in the place of ours.
  ~CrashStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_.get())
      sigaltstack(&before_, nullptr);
  }
  CrashStack(const CrashStack &) = delete;
  CrashStack &operator=(const CrashStack &) = delete;

private:
  static constexpr std::size_t size = std::size_t{64} * 1024; ///< bytes
  std::unique_ptr<std::byte[]> memory_ = std::make_unique_for_overwrite<std::byte[]>(size);
  stack_t before_{};
};

} // namespace

void prepareCrashStack() {
  static thread_local CrashStack stack;
  (void)stack;
}

void leaveSignalsToTheProgram() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int signal : watched)
    sigdelset(&blocked, signal);
  for (const int signal : {SIGTRAP, SIGSYS, SIGPROF})
    sigdelset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

void parkForEver() {
  for (;;)
    pause();
}

} // namespace streamap
