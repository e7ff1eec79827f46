//===- Process.cpp - Running the host compiler -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Complaint.h"
#include "Signals.h"
#include "StandardInput.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace streamap {

namespace {

/// The environment of a child, with another TMPDIR or messages in English where that is wanted.
class Environment {
public:
  Environment(const Command &What, bool InEnglish) {
    if (!What.TemporaryDirectory.empty())
      Extra.push_back("TMPDIR=" + What.TemporaryDirectory);
    if (InEnglish)
      Extra.push_back("LANGUAGE=C"); // of gettext: goes before LC_ALL, and leaves the character set alone
    for (char **Entry = environ; *Entry; ++Entry)
      if (!isReplaced(*Entry))
        Entries.push_back(*Entry);
    for (std::string &Added : Extra)
      Entries.push_back(Added.data());
    Entries.push_back(nullptr);
  }
  char **data() { return Entries.data(); }

private:
  bool isReplaced(llvm::StringRef Entry) const {
    const llvm::StringRef Name = Entry.split('=').first;
    return llvm::any_of(Extra, [&](const std::string &Added) { return llvm::StringRef(Added).split('=').first == Name; });
  }

  std::vector<std::string> Extra;
  llvm::SmallVector<char *, 128> Entries;
};

std::vector<char *> pointers(const std::vector<std::string> &Words) {
  std::vector<char *> Result;
  for (const std::string &Word : Words)
    Result.push_back(const_cast<char *>(Word.c_str()));
  Result.push_back(nullptr);
  return Result;
}

llvm::Error cannotRun(const Command &What, int Problem) {
  return complain(Diag::HostCompiler, {What.Words.front(), std::strerror(Problem)});
}

/// Starts \p What with its output going to \p Output and \p Errors (-1: ours).
llvm::Expected<pid_t> start(const Command &What, int Output, int Errors) {
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  if (Output >= 0)
    posix_spawn_file_actions_adddup2(&Files, Output, STDOUT_FILENO);
  if (Errors >= 0)
    posix_spawn_file_actions_adddup2(&Files, Errors, STDERR_FILENO);
  else if (What.Silent)
    posix_spawn_file_actions_addopen(&Files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  sigset_t None;
  sigemptyset(&None);
  posix_spawnattr_setsigmask(&Attributes, &None);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);

  rewindStandardInput();
  Environment Surroundings(What, /*InEnglish=*/Errors >= 0);
  pid_t Child = 0;
  const int Problem =
      posix_spawnp(&Child, What.Words.front().c_str(), &Files, &Attributes, pointers(What.Words).data(), Surroundings.data());
  posix_spawnattr_destroy(&Attributes);
  posix_spawn_file_actions_destroy(&Files);
  if (Problem)
    return cannotRun(What, Problem);
  return Child;
}

int waitFor(pid_t Child) {
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  passSignalsTo(0);
  if (pendingSignal())
    endOrphans();
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

/// Nothing more is to be done once a signal has come. Main ends the process by
/// it when everything is cleaned up, so nobody reads this text.
llvm::Error interrupted() {
  return llvm::createStringError("interrupted");
}

/// A pipe whose ends close by themselves and stay out of children.
struct Pipe {
  int Read = -1, Write = -1;
  bool open() {
    int Ends[2];
    if (pipe2(Ends, O_CLOEXEC) != 0)
      return false;
    Read = Ends[0];
    Write = Ends[1];
    return true;
  }
  void closeWrite() {
    if (Write >= 0)
      close(Write);
    Write = -1;
  }
  ~Pipe() {
    closeWrite();
    if (Read >= 0)
      close(Read);
  }
};

/// Reads both pipes to their ends, whichever has something.
void drain(Pipe &Output, std::string &OutputText, Pipe &Errors, std::string &ErrorText) {
  std::array<pollfd, 2> Polled{{{Output.Read, POLLIN, 0}, {Errors.Read, POLLIN, 0}}};
  std::array<std::string *, 2> Texts{&OutputText, &ErrorText};
  static char Buffer[1 << 16];
  while (Polled[0].fd >= 0 || Polled[1].fd >= 0) {
    if (poll(Polled.data(), Polled.size(), -1) < 0 && errno != EINTR)
      return;
    for (size_t I = 0; I < Polled.size(); ++I) {
      if (!(Polled[I].revents & (POLLIN | POLLHUP | POLLERR)))
        continue;
      const ssize_t Got = read(Polled[I].fd, Buffer, sizeof Buffer);
      if (Got > 0)
        Texts[I]->append(Buffer, static_cast<size_t>(Got));
      else if (Got == 0 || errno != EINTR)
        Polled[I].fd = -1;
    }
  }
}

} // namespace

llvm::Expected<int> run(const Command &What) {
  llvm::outs().flush();
  llvm::Expected<pid_t> Child = 0;
  {
    SignalsHeldBack Held;
    Child = start(What, -1, -1);
    if (!Child)
      return Child.takeError();
    passSignalsTo(*Child);
  }
  const int Status = waitFor(*Child);
  return pendingSignal() ? llvm::Expected<int>(interrupted()) : Status;
}

llvm::Expected<Captured> captureOutput(const Command &What, bool WithErrors) {
  Pipe Output, Errors;
  if (!Output.open() || (WithErrors && !Errors.open()))
    return cannotRun(What, errno);
  llvm::Expected<pid_t> Child = 0;
  {
    SignalsHeldBack Held;
    Child = start(What, Output.Write, Errors.Write);
    if (!Child)
      return Child.takeError();
    passSignalsTo(*Child);
  }
  Output.closeWrite();
  Errors.closeWrite();
  Captured Result;
  drain(Output, Result.Output, Errors, Result.Errors);
  Result.Status = waitFor(*Child);
  if (pendingSignal())
    return interrupted();
  return Result;
}

llvm::Error become(const Command &What) {
  rewindStandardInput();
  llvm::outs().flush();
  execvp(What.Words.front().c_str(), pointers(What.Words).data());
  return cannotRun(What, errno);
}

std::string quoted(const Command &What) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  llvm::interleave(
      What.Words, [&](const std::string &Word) { llvm::sys::printArg(OS, Word, /*Quote=*/false); }, [&] { OS << ' '; });
  return Text;
}

} // namespace streamap
