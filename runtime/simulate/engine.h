// StreamMAP simulator: the machine that simulate() runs. Internal to simulate/.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It plays everything around the assignment: main, the head's bookkeeping, ranks with their queues, devices and links. What goes
// where is decided by the Placer alone, the one that the live head drives.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "assign/admission.h"
#include "assign/placer.h"
#include "base/inline_vector.h"
#include "simulate/device_memory.h"
#include "simulate/event_queue.h"
#include "simulate/network.h"
#include "simulate/simulation.h"
#include "simulate/versions.h"

namespace streamap::simulate {

enum class Stage : std::uint8_t {
  Waiting, ///< some predecessor is not placed
  Ready,   ///< known to the Placer
  Placed,
  Queued,  ///< its processor may start it
  Loading, ///< on a device, its data is being brought
  Running,
  Ended ///< the head has not heard yet
};

/// A live task that waits for something, in that life.
struct Waiter {
  std::uint32_t task, life;
};

/// A predecessor by its number in the program.
struct Earlier {
  std::uint32_t number;
  bool readsFrom; ///< it writes what is read; otherwise only the order matters
};

/// A task between its launch and the head's hearing of its end.
struct LiveTask {
  const ProgramTask *what = nullptr;
  std::uint32_t number = nothing; ///< in the order of the program
  std::uint32_t life = 0;         ///< grows when the task is started again or its place is used again
  Stage stage = Stage::Waiting;
  std::uint32_t awaited = 0; ///< predecessors that are not placed
  std::uint32_t pending = 0; ///< what must happen before it may start
  Ticket ticket = noTicket;
  ProcessorId processor;
  ProfileId profile = noProfile;
  Bytes memory;       ///< of a device
  ClassId cutFor{-1}; ///< TaskFacts::cutFor
  Seconds started = 0, ran = 0;
  InlineVector<std::uint16_t, 2> lanes; ///< cores, only for a trace
  bool mainWaits = false;               ///< a wait on needs it
  std::span<const Use> uses;
  InlineVector<Earlier, 2> predecessors;
  InlineVector<std::uint32_t, 2> followers; ///< live tasks that hear when it is placed
  InlineVector<Waiter, 2> behind;           ///< on its rank, hear when it has ended
  InlineVector<Waiter, 2> toTell;           ///< elsewhere, are told so
  InlineVector<std::uint32_t, 2> outgoing;  ///< transfers of what it writes
  InlineVector<std::uint32_t, 4> reads;     ///< versions
  InlineVector<std::uint32_t, 2> writes;    ///< versions
};

/// A datum on its way to the host's memory of a rank.
struct Transfer {
  std::uint32_t version = nothing;
  Rank from, to;
  Seconds notBefore = 0;
  bool forMain = false; ///< main waits for it
  InlineVector<Waiter, 2> waiters;
  InlineVector<std::uint32_t, 2> next; ///< transfers that go on from there
};

/// What a processor is doing.
struct ProcessorState {
  int idleCores = 0;
  int lanesInUse = 0;
  bool lacksMemory = false; ///< the next task cannot be loaded before another ends
  bool isLost = false;
  double slowness = 1;
  double busy = 0;
  std::uint64_t tasks = 0;
  std::optional<Admission> admission; ///< devices
  std::optional<DeviceMemory> memory; ///< devices
  struct Waiting {
    std::int32_t priority;
    std::uint32_t number, task;
    bool operator<(const Waiting &other) const {
      return priority != other.priority ? priority < other.priority : number > other.number;
    }
  };
  std::priority_queue<Waiting> queue;
  std::vector<std::uint32_t> loaded; ///< have their data, and wait to be admitted
  std::vector<bool> coreInUse;       ///< only for a trace
};

class Engine final : TaskView {
public:
  Engine(const Cluster &cluster, const Program &program, const RunSetup &setup);
  Result<Outcome> run();

private:
  // ---- Main and the graph (engine_main.cpp)
  void goOnWithMain();
  bool takeStep(const Step &step);
  Seconds timeBefore(const Step &step) const;
  void launchSplit(const SplitLaunch &split);
  void enter(const ProgramTask &task, std::span<const Use> uses, ClassId cutFor = ClassId{-1});
  void findPredecessors(LiveTask &task);
  void becomeReady(LiveTask &task);
  ProfileId profileOf(const ProgramTask &task);
  DemandId demandOf(const ProgramTask &task, Bytes memory);
  void startWait(std::span<const DatumId> data);
  void wantHome(DatumId datum);
  bool waitIsOver();
  void mainWasWaiting();

  // ---- Placement (engine_place.cpp)
  void look(std::uint64_t id, Ties &ties) override;
  void placeAll();
  void place(LiveTask &task, ProcessorId processor);
  void followPredecessors(LiveTask &task);
  void chooseVersions(LiveTask &task);
  void writeVersions(LiveTask &task);
  void awaitInputs(LiveTask &task);

  // ---- Data between ranks (engine_data.cpp)
  void release(std::uint32_t version);
  std::uint32_t requestCopy(std::uint32_t version, Rank to, bool onHost);
  RankCopy *chooseSource(DataVersion &version, Rank to);
  void startTransfer(std::uint32_t transfer);
  void transferArrives(std::uint32_t transfer);
  Seconds bringToHost(DataVersion &version, Rank rank, Seconds from);
  void dropFromDevices(std::uint32_t version, RankCopy &copy);

  // ---- On a rank (engine_run.cpp)
  void oneLess(std::uint32_t task);
  void startWhatCan(ProcessorId processor);
  void startOnCores(ProcessorState &processor);
  void bodyEnds(LiveTask &task);
  void headHears(LiveTask &task);
  void takeCores(LiveTask &task, ProcessorState &processor);
  void traceEnd(LiveTask &task, ProcessorState &processor);
  Seconds durationOf(const LiveTask &task) const;

  // ---- On a device (engine_device.cpp)
  bool load(LiveTask &task);
  Seconds bringToDevice(LiveTask &task);
  void setDeviceVersion(ProcessorId device, DatumId datum, std::uint32_t version);
  bool makeRoom(ProcessorId device, std::uint64_t bytes, Seconds &ready);
  void dataIsThere(LiveTask &task);
  void admit(ProcessorId processor);

  // ---- What breaks (engine_break.cpp)
  void breakDown(const Breakage &breakage);
  void lose(ProcessorId processor);
  void startAgain(LiveTask &task);
  void stop(std::string why) {
    if (outcome.stopped.empty())
      outcome.stopped = std::move(why);
  }

  void handle(const Event &event);
  /// Real time, in seconds since any moment, for Outcome::assignTime.
  double clock() const;
  LiveTask &live(std::uint32_t index) { return *tasks[index]; }
  std::uint32_t indexOf(std::uint32_t number) const { return number < liveOf.size() ? liveOf[number] : nothing; }
  std::uint32_t indexOf(const LiveTask &task) const { return liveOf[task.number]; }
  ProcessorState &state(ProcessorId id) { return processors[static_cast<std::size_t>(id.value)]; }
  Rank rankOf(ProcessorId id) const { return table[id].place.rank; }
  bool onDevice(const LiveTask &task) const { return table[task.processor].kind() == ProcessorKind::Device; }

  const Cluster &cluster;
  const Program &program;
  const RunSetup &setup;
  const ResourceTable table;
  Estimates estimates;
  Placer placer;
  Network network;
  EventQueue events;
  Outcome outcome;
  std::optional<Error> error;
  Seconds now = 0;

  // Main
  std::size_t at = 0;       ///< in Program::steps
  bool timeIsSpent = false; ///< of the step's `before`
  bool mainWaitsForRoom = false, mainWaits = false, mainIsDone = false;
  bool allComesHome = false;   ///< a wait is going on
  std::uint64_t mainTasks = 0; ///< unfinished ones that a wait on needs
  std::uint64_t homeTransfers = 0;
  std::uint64_t unfinished = 0;

  // Graph
  struct LastUses {
    std::uint32_t writer = nothing; ///< numbers
    InlineVector<std::uint32_t, 2> readers;
  };
  std::vector<LastUses> lastUses;     ///< by DatumId
  std::vector<std::uint32_t> current; ///< version, by DatumId
  std::vector<bool> away;             ///< by DatumId: written since it was last brought home
  std::vector<DatumId> awayList;
  std::vector<bool> wanted; ///< by DatumId: a wait on needs it
  VersionPool versions;
  std::vector<std::unique_ptr<LiveTask>> tasks;
  std::vector<std::uint32_t> idleTasks;
  std::vector<std::uint32_t> liveOf; ///< by number
  std::deque<ProgramTask> parts;     ///< of split launches
  std::vector<Earlier> found;        ///< room for findPredecessors
  std::map<std::pair<std::uint32_t, int>, ProfileId> profiles;
  std::map<std::tuple<Resource, int, int, std::uint64_t>, DemandId> demands;
  Bytes smallestDevice;

  // Ranks
  std::vector<ProcessorState> processors;
  std::vector<Transfer> transfers;
  std::vector<std::uint32_t> idleTransfers;
  std::vector<std::uint32_t> outstanding; ///< transfers that leave, by rank
};

} // namespace streamap::simulate
