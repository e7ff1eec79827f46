// StreamMAP tests: ranks that carry out orders as the contract of exec/orders.h says, in the worst order that it allows.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "data/mirror.h"
#include "data/stamps.h"
#include "exec/agent.h"
#include "exec/rank_memory.h"
#include "head/head.h"

namespace streamap {

/// How the ranks behave.
struct SimulationSetup {
  unsigned seed = 0;
  int ranks = 1;
  int creditsAtFlush = 4;           ///< at most so many steps are taken at the end of each launch, while main goes on
  std::vector<std::string> devices; ///< by rank: its setting `devices`, or empty
};

/// An OrderDesk whose ranks each have memory of their own. Every step (an order arrives, bytes are read, arrive, a body starts, a
/// message is delivered) is chosen at random among those that may come next, from a seed, so a run can be repeated exactly. While
/// the thread under test is inside the head, a thread of the simulation takes the steps; at the end of a launch, main itself
/// takes a few.
class SimulatedCluster final : public OrderDesk {
public:
  explicit SimulatedCluster(const SimulationSetup &setup);
  ~SimulatedCluster() override;

  /// Who hears of completions; starts the simulation's thread.
  void start(Head &head);
  /// What a rank offers, for HeadSetup.
  std::vector<DeviceOffer> offers(int rank) const;
  /// Takes all steps that can be taken. Not while another thread waits in the head.
  void drain();
  void stop();

  void run(Rank rank, RunOrder order) override;
  void send(Rank rank, SendOrder order) override;
  void notify(Rank rank, NotifyOrder order) override;
  void forget(Rank rank, ForgetOrder order) override;
  void discard(Rank rank, DiscardOrder order) override;
  void settle(SettleOrder order) override;
  void flush() override;
  bool helpLocally() override { return false; }

  /// Breaches of the contract, and a standstill, in words; empty when all is well.
  std::vector<std::string> complaints() const;

  struct Traffic {
    std::uint64_t fromHome = 0, intoHome = 0, betweenWorkers = 0; ///< bytes
    std::uint64_t transfers = 0, unchanged = 0;                   ///< orders; orders of which nothing had to be sent
    std::vector<std::uint64_t> tasks;                             ///< by rank
    std::uint64_t deviceTasks = 0, settled = 0;
  };
  Traffic traffic() const;

private:
  struct Order {
    enum class Kind { Run, Send, Notify, Forget, Discard, Settle } kind;
    RunOrder run;
    SendOrder send;
    NotifyOrder notify;
    ForgetOrder forget;
    DiscardOrder discard;
    SettleOrder settle;
  };
  struct Running {
    RunOrder order;
    bool bodyDone = false;
  };
  struct RankState {
    std::deque<Order> orders; ///< on their way, in order
    std::vector<RunOrder> waitingTasks;
    std::vector<SendOrder> waitingSends;
    std::vector<Running> running;
    std::vector<NotifyOrder> notifications;  ///< to give when the task is done
    std::unordered_set<std::uint64_t> known; ///< events
    std::uint64_t forgotten = 1;
    std::unique_ptr<Mirror> mirror;
    std::unique_ptr<RankMemory> memory; ///< null: no devices
    std::vector<DeviceLane> lanes;      ///< by device
    bool knows(EventId event) const { return event.value < forgotten || known.contains(event.value); }
  };
  /// Something on its way to a rank: bytes, or news.
  struct Flight {
    Rank to;
    EventId event;
    std::vector<ByteRun> runs;
    std::vector<std::byte> bytes;
    bool transfer = false;
    Version version; ///< of the bytes, if they go home
  };
  /// What remains to be said to the head once no lock is held.
  struct News {
    std::vector<Completion> completions;
    Rank from;
    EventId arrival, departure;
    std::string failure;
  };

  bool step();
  bool canGo(const RankState &rank, const std::vector<EventId> &after) const;
  void deliverOrder(RankState &rank, int number);
  void readBytes(RankState &rank, int number, std::size_t which, News &news);
  void arrive(std::size_t which, News &news);
  void startTask(RankState &rank, std::size_t which, News &news);
  void finishTask(RankState &rank, int number, std::size_t which);
  void runTaskBody(RankState &rank, RunOrder &order, News &news);
  void happen(RankState &rank, EventId event);
  void complain(std::string text);
  void openDevices(RankState &rank, int number);
  void bringToHost(RankState &rank, const std::vector<ByteRun> &runs);
  unsigned pick(std::size_t choices) { return static_cast<unsigned>(random() % choices); }

  const SimulationSetup setup;
  mutable std::mutex mutex;
  std::mt19937 random;
  std::vector<RankState> ranks;
  std::vector<Flight> flights;
  std::vector<std::pair<Rank, Completion>> unreported;
  std::set<std::uint64_t> allHappened;
  StampTable stamps;
  Traffic counts;
  std::vector<std::string> wrong;
  Head *head = nullptr;
  std::atomic<bool> stepping = false; ///< the head is being told of something
  std::atomic<bool> stopping = false;
  std::thread worker;
};

} // namespace streamap
