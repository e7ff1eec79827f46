// StreamMAP runtime: the life of a process, around the program's main.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/program.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "abi/launch.h"
#include "abi/registry.h"
#include "base/sanitizers.h"
#include "discover/launcher.h"
#include "exec/crash.h"
#include "exec/current_task.h"
#include "observe/log.h"
#include "program/form.h"
#include "program/seat.h"
#include "program/world.h"
#include "start/cluster.h"
#include "start/head_session.h"
#include "start/worker_session.h"

namespace streamap {
namespace {

// Never destroyed: threads of the program may outlive main.
HeadSession *headSession = nullptr;
WorkerSession *workerSession = nullptr;

/// A child that the program forks has its memory but none of our threads: there it is a serial program.
void becomeSerial() {
  closeLaunches();
  headSession = nullptr;
  workerSession = nullptr;
}

/// The launcher, unless this process was started by one of its processes and not by itself.
std::optional<Launcher> ownLauncher() {
  constexpr const char *mark = "STREAMAP_STARTED";
  if (std::getenv(mark))
    return std::nullopt;
  const auto launcher = findLauncher([](const char *name) { return static_cast<const char *>(std::getenv(name)); });
  if (launcher)
    setenv(mark, "1", 1); // children see it
  return launcher && launcher->size != 1 ? launcher : std::nullopt;
}

enum class Start { Run, Refused, Helped };

/// Starts this process's part. Otherwise why not has been said.
Start start() {
  const auto launcher = ownLauncher();
  auto settings = loadSettings(environ);
  const Start refused = settings && !settings->help.empty() ? Start::Helped : Start::Refused;
  if (settings)
    setLogLevel(settings->log);
  if (const streamap_program *form = programForm(); form && refused != Start::Helped) {
    if (!takeSeat(*form, settings))
      return Start::Refused;
    if (!programHasTasks())
      return Start::Run;
  }
  std::optional<Membership> member;
  if (launcher && !programForm()) {
    member = joinCluster(*launcher, settings);
    if (!member)
      return refused;
  } else if (refused == Start::Helped) {
    std::fputs(settings->help.c_str(), stdout);
    return refused;
  } else if (const auto checked = checkRegistry(); !settings || !checked) {
    showError(settings ? checked.error() : settings.error());
    return refused;
  }
  if (!settings->source.empty())
    log().info("settings from {}", settings->source);
  sealRegistry();
  pthread_atfork(nullptr, nullptr, becomeSerial);
  if (!member || member->self == headRank) {
    if (member && member->ranks == 1) {
      leaveMpi();
      member.reset();
    }
    headSession = new HeadSession(std::move(*settings), std::move(member));
  } else {
    workerSession = new WorkerSession(std::move(*member));
  }
  return Start::Run;
}

} // namespace

// main may have no parameters, or two.
STREAMAP_CALLS_ANY_TYPE int runProgram(MainFunction programMain, int argc, char **argv, char **environment) {
  if (!programHasTasks() && !programForm())
    return programMain(argc, argv, environment);
  rememberSignalHandlers();
  if (const Start started = start(); started != Start::Run)
    return started == Start::Helped ? EXIT_SUCCESS : EXIT_FAILURE;
  if (workerSession)
    workerSession->serve();
  // Whatever calls libc's own exit (err, a library) passes here, after the program's handlers.
  std::atexit([] { beforeExit(EXIT_FAILURE); });
  const int code = programMain(argc, argv, environment);
  if (headSession)
    headSession->end(Ending::Return, reinterpret_cast<HomeAddress>(__builtin_frame_address(0)));
  leaveWorld();
  return code;
}

void beforeExit(int code) {
  if (insideTask()) {
    const std::string what = "it called exit(" + std::to_string(code) + ")";
    if (headSession)
      headSession->failCurrentTask(what);
    if (workerSession)
      workerSession->failCurrentTask(what);
  }
  if (headSession)
    headSession->end(Ending::Exit);
  leaveWorld();
}

bool programRuns() {
  return headSession || workerSession;
}

} // namespace streamap
