//===- Signals.cpp - Ending cleanly when a signal says so -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signals.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace streamap {

namespace {

constexpr std::array Ending{SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU,
                            SIGXFSZ, SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,  SIGILL};

/// A listed path. The handler reads the list at any moment, so strings are made before they are listed and never freed.
struct Listed {
  std::atomic<const char *> Path = nullptr;
  Removal Kind = Removal::Output;
};
std::array<Listed, 512> List;
std::atomic<pid_t> Running = 0;
std::atomic<int> Pending = 0;

/// Async-signal-safe.
void removeListed(Removal Kind) {
  for (Listed &Entry : List)
    if (const char *Path = Entry.Path.load(); Path && Entry.Kind == Kind)
      Kind == Removal::Directory ? rmdir(Path) : unlink(Path);
}

void onSignal(int Signal) {
  const pid_t Child = Running;
  const bool Crash = Signal == SIGSEGV || Signal == SIGBUS || Signal == SIGABRT || Signal == SIGFPE || Signal == SIGILL;
  if (Child && !Crash) {
    Pending = Signal;
    kill(Child, Signal);
    return;
  }
  for (Removal Kind : {Removal::Output, Removal::Temporary, Removal::Directory})
    removeListed(Kind);
  endBySignal(Signal);
}

sigset_t endingSet() {
  sigset_t Set;
  sigemptyset(&Set);
  for (int Signal : Ending)
    sigaddset(&Set, Signal);
  return Set;
}

} // namespace

void handleSignals() {
  for (int Signal : Ending) {
    struct sigaction Old = {}, New = {};
    sigaction(Signal, nullptr, &Old);
    if (Old.sa_handler == SIG_IGN)
      continue;
    New.sa_handler = onSignal;
    New.sa_mask = endingSet();
    sigaction(Signal, &New, nullptr);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void removeOnSignal(llvm::StringRef Path, Removal Kind) {
  for (Listed &Entry : List) {
    if (Entry.Path.load())
      continue;
    Entry.Kind = Kind;
    Entry.Path = strdup(Path.str().c_str());
    return;
  }
}

void removeNow(Removal Kind) {
  removeListed(Kind);
}

void forgetRemovals() {
  for (Listed &Entry : List)
    Entry.Path = nullptr;
}

void forgetRemovals(Removal Kind) {
  for (Listed &Entry : List)
    if (Entry.Path.load() && Entry.Kind == Kind)
      Entry.Path = nullptr;
}

SignalsHeldBack::SignalsHeldBack() {
  const sigset_t Set = endingSet();
  sigprocmask(SIG_BLOCK, &Set, nullptr);
}

SignalsHeldBack::~SignalsHeldBack() {
  const sigset_t Set = endingSet();
  sigprocmask(SIG_UNBLOCK, &Set, nullptr);
}

void passSignalsTo(pid_t Child) {
  Running = Child;
}

int pendingSignal() {
  return Pending;
}

void endOrphans() {
  const std::string Children = "/proc/self/task/" + std::to_string(getpid()) + "/children";
  // Killing one orphan hands us its children, so this ends when nobody is left.
  while (true) {
    auto Buffer = llvm::MemoryBuffer::getFileAsStream(Children);
    if (!Buffer || (*Buffer)->getBuffer().trim().empty())
      return;
    for (llvm::StringRef Word : llvm::split((*Buffer)->getBuffer().trim(), ' ')) {
      pid_t Orphan = 0;
      if (Word.getAsInteger(10, Orphan))
        continue;
      kill(Orphan, SIGKILL);
      waitpid(Orphan, nullptr, 0);
    }
  }
}

void endBySignal(int Signal) {
  signal(Signal, SIG_DFL);
  sigset_t Set;
  sigemptyset(&Set);
  sigaddset(&Set, Signal);
  raise(Signal);
  sigprocmask(SIG_UNBLOCK, &Set, nullptr);
  _exit(128 + Signal);
}

} // namespace streamap
