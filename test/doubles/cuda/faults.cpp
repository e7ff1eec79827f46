// The CUDA double: faults of what a device does.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "faults.h"

#include <setjmp.h>
#include <signal.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

namespace doubles {
namespace {

constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/// Of this thread; null: its faults are the program's.
thread_local FaultsLand::Land landing = nullptr;
thread_local void *landingData = nullptr;

std::array<struct sigaction, NSIG> handlersBefore;

/// Async-signal-safe. On a stack of its own, because the fault may be a full stack.
void onFault(int signal, siginfo_t *info, void *raw) {
  if (landing && info->si_code > 0) {
    landing(signal, *static_cast<ucontext_t *>(raw), landingData);
    return;
  }
  // Not a device's: whoever handled it before us does, when it repeats.
  sigaction(signal, &handlersBefore[static_cast<std::size_t>(signal)], nullptr);
}

/// Each time anew, since the program may have set its own handlers in between.
void watchFaults() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (const int signal : signals) {
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == onFault)
      continue;
    handlersBefore[static_cast<std::size_t>(signal)] = now;
    struct sigaction ours{};
    ours.sa_sigaction = onFault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

/// For the handler; goes with the thread.
class SignalStack {
public:
  SignalStack() : memory_(std::size_t{64} << 10) {
    stack_t stack{};
    stack.ss_sp = memory_.data();
    stack.ss_size = memory_.size();
    sigaltstack(&stack, &before_);
  }
  ~SignalStack() { sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  std::vector<char> memory_;
  stack_t before_{};
};

} // namespace

FaultsLand::FaultsLand(Land land, void *data) {
  static thread_local const SignalStack stack;
  watchFaults();
  landingData = data;
  landing = land;
}

FaultsLand::~FaultsLand() {
  landing = nullptr;
}

int untilFault(void (*work)(const void *data), const void *data) {
  sigjmp_buf place;
  const FaultsLand landsHere(
      [](int signal, ucontext_t &, void *buffer) { siglongjmp(*static_cast<sigjmp_buf *>(buffer), signal); }, &place);
  const int signal = sigsetjmp(place, 1);
  if (signal == 0)
    work(data);
  return signal;
}

} // namespace doubles
