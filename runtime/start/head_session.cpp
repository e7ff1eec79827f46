// StreamMAP runtime: rank 0 while the program runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/head_session.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "abi/launch.h"
#include "abi/registry.h"
#include "comm/cluster_desk.h"
#include "comm/mpi_transport.h"
#include "comm/rank_link.h"
#include "data/stamps.h"
#include "exec/crash.h"
#include "exec/current_task.h"
#include "exec/monotonic.h"
#include "exec/openmp.h"
#include "observe/graph_record.h"
#include "observe/log.h"
#include "observe/run_record.h"
#include "start/end_process.h"
#include "start/liveness.h"
#include "start/rank_devices.h"

namespace streamap {
namespace {

/// How long the head waits for farewells when all is well, and when the program has failed and ranks may be lost.
constexpr double patienceSeconds = 30, patienceAfterFailure = 3;

/// What a single process does with its agent's news.
class LocalOutlet final : public AgentOutlet {
public:
  HeadListener *listener = nullptr;

  void transfer(SendOrder) override {}
  void tell(Rank, EventId) override {}
  void completed(const std::vector<Completion> &done) override { listener->onCompletions(done, headRank); }
  void reportSoon() override {} // its slots do
  void failed(Failure failure) override { listener->onFailure(failure); }
};

} // namespace

/// What only a head among other ranks has.
struct Others {
  Others(Membership &member, Counters &counters, LinkSetup setup)
      : transport(member.orders, member.data, std::move(member.bells), counters, hasSpareCore(member)),
        link((setup.transport = &transport, setup.stamps = &stamps, std::move(setup))) {}

  StampTable stamps;
  Liveness liveness;
  MpiTransport transport;
  RankLink link;
};

struct HeadSession::State {
  State(Settings s, std::optional<Membership> m);

  const Settings settings;
  std::optional<Membership> member;
  Mirror mirror{Mirror::Kind::Home};
  std::unique_ptr<RankMemory> memory; ///< null: this rank has no devices
  Counters counters;
  TaskTrace trace;
  std::unique_ptr<GraphRecord> graph; ///< null unless STREAMAP_RECORD asks for it
  LocalOutlet local;
  std::unique_ptr<Others> others;
  std::unique_ptr<RankAgent> agent;
  std::unique_ptr<OrderDesk> desk;
  std::unique_ptr<Head> head;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<RankRecord> records; ///< by rank; those of others are filled by their farewells
  int farewells = 0;
  std::atomic<bool> ending{false}, failing{false}, linksClosed{false};
  bool ended = false;

  int ranks() const { return member ? member->ranks : 1; }
  LinkSetup linkSetup();
  HeadSetup headSetup();
  std::vector<OwnedDevice> takeDevices(const std::string &host);
  AgentSetup agentSetup(int slots);
  void lostRank(Rank rank);
  void stop(const std::string &text);
  bool dismiss(bool failed, double patience);
  void writeRecords();
  Result<void> writeGraph() const;
  std::string processorName(std::size_t rank, int device) const;
};

/// The program may change its directory before the files are written.
Settings withAbsolutePaths(Settings settings) {
  for (std::string *const path : {&settings.trace, &settings.record, &settings.counters, &settings.explain})
    if (std::error_code error; !path->empty())
      *path = std::filesystem::absolute(*path, error).string();
  return settings;
}

HeadSession::State::State(Settings s, std::optional<Membership> m)
    : settings(withAbsolutePaths(std::move(s))), member(std::move(m)) {
  records.resize(static_cast<std::size_t>(ranks()));
  int slots = 0;
  if (member) {
    const Welcome &welcome = member->welcome;
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].host = welcome.machines[i].host;
      records[i].node = welcome.shares[i].node.value;
      records[i].slots = welcome.slots[i];
      records[i].complete = false;
    }
    slots = welcome.slots[0];
    if (!member->devices.empty())
      memory = std::make_unique<RankMemory>(mirror, std::move(member->devices));
    others = std::make_unique<Others>(*member, counters, linkSetup());
    for (int rank = 1; rank < member->ranks; ++rank)
      others->liveness.watch(Rank{rank}, member->machine(Rank{rank}), member->mine());
  } else {
    const Machine machine = inspectMachine();
    slots = slotsByRank(shareCores({&machine, 1}), settings)[0];
    records[0].host = machine.host;
    records[0].slots = slots;
    if (auto devices = takeDevices(machine.host); !devices.empty())
      memory = std::make_unique<RankMemory>(mirror, std::move(devices));
  }
  agent = std::make_unique<RankAgent>(agentSetup(slots));
  if (member)
    desk = std::make_unique<ClusterDesk>(others->transport, others->link, *agent, member->ranks);
  else
    desk = std::make_unique<LocalDesk>(*agent);
  if (!settings.record.empty())
    graph = std::make_unique<GraphRecord>();
  head = std::make_unique<Head>(headSetup());
  local.listener = head.get();
  if (others)
    others->link.connect(*agent, head.get());
}

/// All that a single process finds is its own.
std::vector<OwnedDevice> HeadSession::State::takeDevices(const std::string &host) {
  RankDevices devices(settings.devices, {host, 0, 0});
  const std::array seen{devices.sight().devices};
  const std::array nodes{NodeId{0}};
  const DeviceShares shares = shareDevices(seen, nodes);
  auto opened = devices.open(shares.byRank[0]);
  for (const std::string &notice : shares.notices)
    log().warn(notice);
  for (const std::string &notice : devices.takeNotices())
    log().warn(notice);
  for (const HiddenDevice &hidden : devices.sight().hidden)
    log().info("{} ({}) is not visible: {}", hidden.name, streamap::describe(hidden.uuid), hidden.why);
  if (!devices.reason().empty())
    log().info(devices.reason());
  return opened;
}

AgentSetup HeadSession::State::agentSetup(int slots) {
  AgentSetup setup;
  setup.rank = headRank;
  setup.slots = slots;
  setup.mirror = &mirror;
  setup.memory = memory.get();
  setup.lanes = static_cast<int>(settings.deviceTasks);
  setup.outlet = others ? static_cast<AgentOutlet *>(&others->link) : &local;
  setup.counters = &counters;
  setup.trace = settings.trace.empty() && settings.record.empty() ? nullptr : &trace;
  return setup;
}

LinkSetup HeadSession::State::linkSetup() {
  LinkSetup setup;
  setup.self = headRank;
  setup.mirror = &mirror;
  setup.memory = memory.get();
  setup.counters = &counters;
  setup.events.farewell = [this](Rank from, Farewell farewell) {
    std::lock_guard lock(mutex);
    RankRecord &record = records[static_cast<std::size_t>(from.value)];
    record.counters = farewell.counters;
    record.tasks = std::move(farewell.trace);
    record.complete = true;
    ++farewells;
    changed.notify_all();
  };
  setup.events.broken = [this](const std::string &what) { stop(what); };
  setup.events.tick = [this] {
    if (linksClosed)
      return;
    if (const auto lost = others->liveness.findLost())
      lostRank(*lost);
  };
  return setup;
}

HeadSetup HeadSession::State::headSetup() {
  HeadSetup setup{.desk = *desk, .ranks = {}};
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    setup.ranks.push_back({NodeId{records[rank].node}, records[rank].slots, {}, labelsOf(settings, records[rank].host)});
    if (member && rank < member->offers.size())
      setup.ranks.back().devices = member->offers[rank];
  }
  if (!member && memory)
    for (int device = 0; device < memory->devices(); ++device)
      setup.ranks[0].devices.push_back({memory->device(device).properties(), memory->budget(device)});
  if (member)
    setup.links = member->links;
  setup.deviceLanes = static_cast<int>(settings.deviceTasks);
  setup.missingGpuIsError = settings.onMissingGpu == "error";
  setup.lookahead = static_cast<int>(settings.lookahead);
  setup.policy = settings.policy;
  setup.reservation = {static_cast<int>(settings.reservedDevices), static_cast<std::int32_t>(settings.reservedPriority)};
  setup.explain = settings.explain;
  setup.history = historyFile(settings, records[0].host);
  setup.now = [] { return static_cast<double>(monotonicNs()) * 1e-9; };
  setup.maxTasks = static_cast<std::size_t>(settings.maxTasks);
  setup.sync = settings.sync;
  setup.record = graph.get();
  setup.keyOf = [](const streamap_task &task) { return keyOf(task); };
  setup.notice = [](const std::string &text) { log().warn(text); };
  setup.stop = [this](const std::string &text) { stop(text); };
  return setup;
}

void HeadSession::State::lostRank(Rank rank) {
  const Machine &machine = member->machine(rank);
  stop("rank " + std::to_string(rank.value) + " (process " + std::to_string(machine.pid) + " on " + machine.host +
       ") has ended unexpectedly");
}

/// The program has failed: says so once, and ends it on a thread of its own, since the caller may be any thread, the transport's
/// too, and may hold what others wait for.
void HeadSession::State::stop(const std::string &text) {
  if (failing.exchange(true))
    return;
  linksClosed = true;
  showError({text, {}});
  if (head) // threads in it, or still to call it, must not go on; if it was the head that stopped us, it knows
    head->onFailure({happened, headRank, text});
  std::thread([this] {
    leaveSignalsToTheProgram();
    agent->cancel();
    if (others) {
      const bool all = dismiss(true, patienceAfterFailure);
      writeRecords();
      if (all)
        leaveMpi();
    } else {
      writeRecords();
    }
    endProcess(1);
  }).detach();
}

/// Asks the other ranks to end, and waits until they have nothing more to send. False when some of them did not answer.
bool HeadSession::State::dismiss(bool failed, double patience) {
  MpiTransport &transport = others->transport;
  WireWriter out;
  out.put(static_cast<std::uint8_t>(failed));
  for (int rank = 1; rank < member->ranks; ++rank)
    transport.post(Rank{rank}, MessageKind::Stop, out.bytes());
  transport.flush();
  bool all = false;
  {
    std::unique_lock lock(mutex);
    all = changed.wait_for(lock, std::chrono::duration<double>(patience), [&] { return farewells == member->ranks - 1; });
  }
  linksClosed = true; // from here on a process that ends does what it was asked to
  for (int rank = 1; rank < member->ranks; ++rank)
    transport.post(Rank{rank}, MessageKind::Leave, {});
  all = transport.drain(patience) && all;
  transport.stop();
  return all;
}

/// "core", or the device's name.
std::string HeadSession::State::processorName(std::size_t rank, int device) const {
  if (device < 0)
    return "core";
  if (member && rank < member->offers.size())
    return member->offers[rank][static_cast<std::size_t>(device)].properties.name;
  return memory ? memory->device(device).properties().name : "?";
}

/// With how long each task ran, and on what, where the rank could tell.
Result<void> HeadSession::State::writeGraph() const {
  std::unordered_map<std::uint64_t, GraphRecord::Ran> ran;
  for (std::size_t rank = 0; rank < records.size(); ++rank)
    for (const TaskRecord &task : records[rank].tasks)
      ran[task.task] = {processorName(rank, task.device), static_cast<double>(task.endNs - task.startNs) * 1e-9};
  return graph->write(settings.record, [&](EventId task) {
    const auto found = ran.find(task.value);
    return found == ran.end() ? GraphRecord::Ran{} : found->second;
  });
}

void HeadSession::State::writeRecords() {
  std::lock_guard lock(mutex);
  records[0].counters = counters.read();
  records[0].tasks = trace.take();
  records[0].complete = true;
  const auto show = [](const Result<void> &written) {
    if (!written)
      showError(written.error());
  };
  if (const auto kept = head->keepEstimates(); !kept) // nobody asked for it
    log().info(kept.error().message);
  if (!settings.counters.empty())
    show(writeCounters(settings.counters, records));
  if (graph)
    show(writeGraph());
  if (!settings.trace.empty())
    show(writeTrace(settings.trace, records, [](DescriptorKey key) -> std::pair<std::string, std::string> {
      const auto *const task = findTask(key);
      return task ? std::pair{std::string(task->name), task->file + std::string(":") + std::to_string(task->line)}
                  : std::pair{std::string("?"), std::string("?")};
    }));
}

HeadSession::HeadSession(Settings settings, std::optional<Membership> member)
    : state_(std::make_unique<State>(std::move(settings), std::move(member))) {
  findOpenMp();
  watchCrashes([&agent = *state_->agent](EventId task, const std::string &what) { agent.failTask(task, what); });
  if (state_->others)
    state_->others->transport.start(state_->others->link);
  openLaunches(*state_->head);
}

HeadSession::~HeadSession() = default;

void HeadSession::end(Ending how, HomeAddress deadStack) {
  State &state = *state_;
  if (state.ending.exchange(true)) {
    std::unique_lock lock(state.mutex); // another thread ends the program, or has: exit handlers come here again
    state.changed.wait(lock, [&] { return state.ended; });
    return;
  }
  if (state.head->finish(how, deadStack) == Outcome::Failed || state.failing)
    parkForEver();
  closeLaunches();
  bool all = true;
  if (state.others)
    all = state.dismiss(false, patienceSeconds);
  state.agent->stop();
  state.writeRecords();
  if (state.failing)
    parkForEver();
  if (state.others && all)
    leaveMpi();
  if (!all) {
    log().error("a rank did not end when it was asked to");
    endProcess(1);
  }
  std::lock_guard lock(state.mutex);
  state.ended = true;
  state.changed.notify_all();
}

void HeadSession::failCurrentTask(const std::string &what) {
  state_->agent->failTask(currentTask().task, what);
  parkForEver();
}

} // namespace streamap
