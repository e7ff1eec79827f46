// StreamMAP runtime: a rank other than 0 while the program runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/worker_session.h"

#include <dlfcn.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "abi/registry.h"
#include "comm/mpi_transport.h"
#include "comm/rank_link.h"
#include "exec/crash.h"
#include "exec/current_task.h"
#include "exec/openmp.h"
#include "observe/log.h"
#include "observe/task_trace.h"
#include "start/end_process.h"
#include "start/liveness.h"

namespace streamap {
namespace {

/// How long a leaving rank waits for the others.
constexpr double patienceSeconds = 10;

/// A library that the program has loaded since the start.
Result<void> loadModule(std::uint64_t hash, const std::string &path) {
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL))
    return failure("the library " + path + ", which the program has loaded, cannot be loaded here: " + dlerror());
  const auto modules = taskModules();
  if (std::none_of(modules.begin(), modules.end(), [&](const TaskModule &m) { return m.hash == hash; }))
    return failure("the library " + path + " is another file here than on rank 0");
  return {};
}

} // namespace

struct WorkerSession::State {
  explicit State(Membership m)
      : member(std::move(m)), transport(member.orders, member.data, std::move(member.bells), counters, hasSpareCore(member)),
        link(linkSetup()), agent(agentSetup()) {}

  Membership member;
  Counters counters;
  TaskTrace trace;
  Mirror mirror{Mirror::Kind::Copy};
  std::unique_ptr<RankMemory> memory =
      member.devices.empty() ? nullptr : std::make_unique<RankMemory>(mirror, std::move(member.devices));
  Liveness liveness;
  MpiTransport transport;
  RankLink link;
  RankAgent agent;

  enum class Phase { Serving, Stopping, Aborting, Leaving };
  std::mutex mutex;
  std::condition_variable changed;
  Phase phase = Phase::Serving;

  void advance(Phase to) {
    std::lock_guard lock(mutex);
    phase = std::max(phase, to);
    changed.notify_all();
  }

  LinkSetup linkSetup() {
    LinkSetup setup;
    setup.self = member.self;
    setup.transport = &transport;
    setup.mirror = &mirror;
    setup.memory = memory.get();
    setup.counters = &counters;
    setup.events.stop = [this](bool failed) { advance(failed ? Phase::Aborting : Phase::Stopping); };
    setup.events.leave = [this] { advance(Phase::Leaving); };
    setup.events.loadModule = loadModule;
    setup.events.broken = [this](const std::string &what) {
      log().error("rank {} on {}: {}", member.self.value, member.mine().host, what);
      endProcess(1);
    };
    setup.events.tick = [this] {
      if (liveness.findLost())
        endProcess(1); // the head has ended without a word: there is nobody to tell
    };
    return setup;
  }

  AgentSetup agentSetup() {
    AgentSetup setup;
    setup.rank = member.self;
    setup.slots = member.welcome.slots[static_cast<std::size_t>(member.self.value)];
    setup.mirror = &mirror;
    setup.memory = memory.get();
    setup.lanes = static_cast<int>(member.welcome.deviceTasks);
    setup.outlet = &link;
    setup.counters = &counters;
    setup.trace = member.welcome.wantsTrace ? &trace : nullptr;
    setup.clockOffsetNs = member.clockOffsetNs;
    return setup;
  }
};

WorkerSession::WorkerSession(Membership member) : state_(std::make_unique<State>(std::move(member))) {
  State &state = *state_;
  setLogLevel(state.member.welcome.logLevel);
  findOpenMp();
  state.link.connect(state.agent, nullptr);
  state.liveness.watch(headRank, state.member.machine(headRank), state.member.mine());
  watchCrashes([&agent = state.agent](EventId task, const std::string &what) { agent.failTask(task, what); });
  state.transport.start(state.link);
}

WorkerSession::~WorkerSession() = default;

void WorkerSession::serve() {
  using Phase = State::Phase;
  State &state = *state_;
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return state.phase != Phase::Serving; });
  const bool aborting = state.phase != Phase::Stopping;
  lock.unlock();
  state.agent.cancel();
  if (!aborting)
    state.agent.stop();
  state.transport.drain(patienceSeconds);
  WireWriter out;
  encodeFarewell(out, {state.counters.read(), state.trace.take()});
  state.transport.post(headRank, MessageKind::Farewell, out.bytes());
  state.transport.flush(headRank);

  lock.lock();
  const bool all =
      state.changed.wait_for(lock, std::chrono::duration<double>(patienceSeconds), [&] { return state.phase == Phase::Leaving; });
  lock.unlock();
  state.transport.stop();
  if (all)
    leaveMpi();
  endProcess(all ? 0 : 1);
}

void WorkerSession::failCurrentTask(const std::string &what) {
  state_->agent.failTask(currentTask().task, what);
  parkForEver();
}

} // namespace streamap
