// StreamMAP tests: ranks that carry out orders as the contract of exec/orders.h says, in the worst order that it allows.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulated_cluster.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "exec/run_body.h"
#include "exec/run_on_device.h"
#include "test_devices.h"

namespace streamap {
namespace {

constexpr std::uint64_t arenaBytes = Mirror::smallestArena;

std::vector<BlockHash> hashesOf(ByteRun run) {
  std::vector<BlockHash> hashes;
  StampBlocks blocks(run);
  for (std::size_t k = 0; k < blocks.count(); ++k) {
    auto hash =
        XXH3_128bits(reinterpret_cast<const void *>(blocks[k].lo), blocks[k].bytes()); // NOLINT(performance-no-int-to-ptr)
    hashes.push_back({hash.low64, hash.high64});
  }
  return hashes;
}

} // namespace

SimulatedCluster::SimulatedCluster(const SimulationSetup &given)
    : setup(given), random(given.seed), ranks(static_cast<std::size_t>(given.ranks)) {
  counts.tasks.resize(ranks.size());
  for (std::size_t k = 0; k < ranks.size(); ++k)
    ranks[k].mirror = std::make_unique<Mirror>(k == 0 ? Mirror::Kind::Home : Mirror::Kind::Copy, arenaBytes);
  for (std::size_t k = 0; k < setup.devices.size(); ++k)
    openDevices(ranks[k], static_cast<int>(k));
}

void SimulatedCluster::openDevices(RankState &rank, int number) {
  rank.memory = openMemory(*rank.mirror, setup.devices[static_cast<std::size_t>(number)], number);
  for (int device = 0; rank.memory && device < rank.memory->devices(); ++device)
    rank.lanes.push_back(*rank.memory->makeLane(device));
}

std::vector<DeviceOffer> SimulatedCluster::offers(int rank) const {
  return offersOf(ranks[static_cast<std::size_t>(rank)].memory.get());
}

SimulatedCluster::~SimulatedCluster() {
  stop();
}

void SimulatedCluster::start(Head &listener) {
  head = &listener;
  worker = std::thread([this] {
    while (!stopping.load()) {
      if (head->waiting() == 0) {
        std::this_thread::yield();
      } else if (!step()) {
        {
          std::lock_guard lock(mutex);
          complain("all stand still, but the head waits for something");
        }
        head->onFailure({happened, headRank, "standstill"});
        return;
      }
    }
  });
}

void SimulatedCluster::stop() {
  stopping.store(true);
  if (worker.joinable())
    worker.join();
}

void SimulatedCluster::drain() {
  while (step()) {
  }
}

void SimulatedCluster::run(Rank rank, RunOrder order) {
  std::lock_guard lock(mutex);
  ranks[static_cast<std::size_t>(rank.value)].orders.push_back({Order::Kind::Run, std::move(order), {}, {}, {}, {}, {}});
}

void SimulatedCluster::send(Rank rank, SendOrder order) {
  std::lock_guard lock(mutex);
  ranks[static_cast<std::size_t>(rank.value)].orders.push_back({Order::Kind::Send, {}, std::move(order), {}, {}, {}, {}});
}

void SimulatedCluster::notify(Rank rank, NotifyOrder order) {
  std::lock_guard lock(mutex);
  ranks[static_cast<std::size_t>(rank.value)].orders.push_back({Order::Kind::Notify, {}, {}, order, {}, {}, {}});
}

void SimulatedCluster::forget(Rank rank, ForgetOrder order) {
  std::lock_guard lock(mutex);
  ranks[static_cast<std::size_t>(rank.value)].orders.push_back({Order::Kind::Forget, {}, {}, {}, order, {}, {}});
}

void SimulatedCluster::discard(Rank rank, DiscardOrder order) {
  std::lock_guard lock(mutex);
  ranks[static_cast<std::size_t>(rank.value)].orders.push_back({Order::Kind::Discard, {}, {}, {}, {}, std::move(order), {}});
}

void SimulatedCluster::settle(SettleOrder order) {
  std::lock_guard lock(mutex);
  ranks[0].orders.push_back({Order::Kind::Settle, {}, {}, {}, {}, {}, std::move(order)});
}

void SimulatedCluster::bringToHost(RankState &rank, const std::vector<ByteRun> &runs) {
  if (!rank.memory)
    return;
  if (const auto brought = rank.memory->bringToHost(runs); !brought)
    complain(brought.error().message);
}

void SimulatedCluster::flush() {
  if (!head || stepping || head->waiting() > 0)
    return;
  unsigned credits = 0;
  {
    std::lock_guard lock(mutex);
    credits = pick(static_cast<std::size_t>(setup.creditsAtFlush) + 1);
  }
  while (credits-- > 0 && step()) {
  }
}

std::vector<std::string> SimulatedCluster::complaints() const {
  std::lock_guard lock(mutex);
  return wrong;
}

SimulatedCluster::Traffic SimulatedCluster::traffic() const {
  std::lock_guard lock(mutex);
  return counts;
}

void SimulatedCluster::complain(std::string text) {
  if (wrong.size() < 5)
    wrong.push_back(std::move(text));
}

bool SimulatedCluster::canGo(const RankState &rank, const std::vector<EventId> &after) const {
  return std::all_of(after.begin(), after.end(), [&](EventId event) { return rank.knows(event); });
}

void SimulatedCluster::happen(RankState &rank, EventId event) {
  rank.known.insert(event.value);
  allHappened.insert(event.value);
}

/// Takes one step; false when there is none to take.
bool SimulatedCluster::step() {
  enum class What { Order, Send, Start, Finish, Flight, Report };
  struct Choice {
    What what;
    std::size_t rank, which;
  };
  News news;
  {
    std::lock_guard lock(mutex);
    std::vector<Choice> choices;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      RankState &rank = ranks[r];
      if (!rank.orders.empty())
        choices.push_back({What::Order, r, 0});
      for (std::size_t k = 0; k < rank.waitingSends.size(); ++k)
        if (canGo(rank, rank.waitingSends[k].after))
          choices.push_back({What::Send, r, k});
      for (std::size_t k = 0; k < rank.waitingTasks.size(); ++k)
        if (canGo(rank, rank.waitingTasks[k].after))
          choices.push_back({What::Start, r, k});
      for (std::size_t k = 0; k < rank.running.size(); ++k)
        choices.push_back({What::Finish, r, k});
    }
    for (std::size_t k = 0; k < flights.size(); ++k)
      choices.push_back({What::Flight, 0, k});
    if (!unreported.empty())
      choices.push_back({What::Report, 0, 0});
    if (choices.empty())
      return false;
    Choice choice = choices[pick(choices.size())];
    RankState &rank = ranks[choice.rank];
    auto number = static_cast<int>(choice.rank);
    switch (choice.what) {
    case What::Order:
      deliverOrder(rank, number);
      break;
    case What::Send:
      readBytes(rank, number, choice.which, news);
      break;
    case What::Start:
      startTask(rank, choice.which, news);
      break;
    case What::Finish:
      if (!rank.running[choice.which].bodyDone)
        runTaskBody(rank, rank.running[choice.which].order, news);
      finishTask(rank, number, choice.which);
      break;
    case What::Flight:
      arrive(choice.which, news);
      break;
    case What::Report: {
      news.from = unreported[pick(unreported.size())].first;
      std::size_t most = 1 + pick(4);
      for (std::size_t k = 0; k < unreported.size() && news.completions.size() < most;) {
        if (unreported[k].first == news.from) {
          news.completions.push_back(unreported[k].second);
          unreported.erase(unreported.begin() + static_cast<std::ptrdiff_t>(k));
        } else {
          ++k;
        }
      }
      break;
    }
    }
  }
  stepping = true;
  if (!news.completions.empty())
    head->onCompletions(news.completions, news.from);
  if (news.arrival != happened)
    head->onHomeArrival(news.arrival);
  if (news.departure != happened)
    head->onHomeDeparture(news.departure);
  if (!news.failure.empty())
    head->onFailure({happened, headRank, news.failure});
  stepping = false;
  return true;
}

void SimulatedCluster::deliverOrder(RankState &rank, int number) {
  Order order = std::move(rank.orders.front());
  rank.orders.pop_front();
  switch (order.kind) {
  case Order::Kind::Run:
    rank.waitingTasks.push_back(std::move(order.run));
    break;
  case Order::Kind::Send:
    rank.waitingSends.push_back(std::move(order.send));
    break;
  case Order::Kind::Notify:
    if (rank.knows(order.notify.task))
      flights.push_back({order.notify.to, order.notify.task, {}, {}, false, {}});
    else
      rank.notifications.push_back(order.notify);
    break;
  case Order::Kind::Forget:
    for (std::uint64_t event = rank.forgotten; event < order.forget.below.value; ++event)
      if (!allHappened.contains(event))
        complain("event " + std::to_string(event) + " is to be forgotten, but has not happened");
    rank.forgotten = std::max(rank.forgotten, order.forget.below.value);
    std::erase_if(rank.known, [&](std::uint64_t event) { return event < rank.forgotten; });
    break;
  case Order::Kind::Discard:
    if (rank.memory)
      rank.memory->hostChanges(order.discard.runs);
    for (ByteRun run : order.discard.runs)
      std::memset(rank.mirror->at(run.lo), 0xDD, run.bytes());
    allHappened.insert(order.discard.done.value);
    unreported.push_back({Rank{number}, {order.discard.done}});
    break;
  case Order::Kind::Settle:
    if (!rank.memory) {
      complain("a rank without devices is to settle");
      break;
    }
    bringToHost(rank, order.settle.runs);
    rank.memory->hostChanges(order.settle.runs);
    ++counts.settled;
    happen(rank, order.settle.done);
    unreported.push_back({Rank{number}, {order.settle.done}});
    break;
  }
}

void SimulatedCluster::readBytes(RankState &rank, int number, std::size_t which, News &news) {
  SendOrder order = std::move(rank.waitingSends[which]);
  rank.waitingSends.erase(rank.waitingSends.begin() + static_cast<std::ptrdiff_t>(which));
  ++counts.transfers;
  bringToHost(rank, order.runs);
  std::vector<ByteRun> runs = order.runs;
  if (number == 0) {
    runs.clear();
    for (ByteRun run : order.runs) {
      std::vector<BlockHash> now = hashesOf(run);
      std::vector<ByteRun> changed{run};
      if (order.receiverHas.value != 0)
        changed = stamps.changedRuns(run, order.receiverHas, now);
      runs.insert(runs.end(), changed.begin(), changed.end());
      stamps.record(run, order.version, now);
    }
    news.departure = order.transfer;
    counts.unchanged += runs.empty();
  } else if (order.receiverHas.value != 0) {
    complain("a rank that is not home is to compare hashes");
  }
  Flight flight{order.to.rank, order.transfer, std::move(runs), {}, true, order.version};
  for (ByteRun run : flight.runs) {
    if (!rank.mirror->prepare(run))
      complain("no room in a mirror");
    const std::byte *bytes = rank.mirror->at(run.lo);
    flight.bytes.insert(flight.bytes.end(), bytes, bytes + run.bytes());
  }
  std::uint64_t size = flight.bytes.size();
  (number == 0 ? counts.fromHome : order.to.rank == headRank ? counts.intoHome : counts.betweenWorkers) += size;
  flights.push_back(std::move(flight));
}

void SimulatedCluster::arrive(std::size_t which, News &news) {
  Flight flight = std::move(flights[which]);
  flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(which));
  RankState &rank = ranks[static_cast<std::size_t>(flight.to.value)];
  const std::byte *from = flight.bytes.data();
  for (ByteRun run : flight.runs) {
    if (!rank.mirror->prepare(run))
      complain("no room in a mirror");
    if (rank.memory)
      rank.memory->hostChanges({&run, 1});
    std::memcpy(rank.mirror->at(run.lo), from, run.bytes());
    from += run.bytes();
    if (flight.to == headRank)
      stamps.record(run, flight.version, hashesOf(run));
  }
  happen(rank, flight.event);
  if (flight.transfer && flight.to == headRank)
    news.arrival = flight.event;
}

void SimulatedCluster::startTask(RankState &rank, std::size_t which, News &news) {
  rank.running.push_back({std::move(rank.waitingTasks[which]), false});
  rank.waitingTasks.erase(rank.waitingTasks.begin() + static_cast<std::ptrdiff_t>(which));
  // A body may read and write at any time between its start and its end.
  if (pick(2) == 0) {
    runTaskBody(rank, rank.running.back().order, news);
    rank.running.back().bodyDone = true;
  }
}

void SimulatedCluster::runTaskBody(RankState &rank, RunOrder &order, News &news) {
  if (order.memory != hostMemory) {
    ++counts.deviceTasks;
    const int device = deviceOf(order);
    DeviceGate gate; // one at a time
    const DeviceOutcome outcome = runOnDevice(order, *rank.memory, device, rank.lanes[static_cast<std::size_t>(device)], gate);
    if (outcome.kind == DeviceOutcome::Kind::Done)
      return;
    if (outcome.kind == DeviceOutcome::Kind::Failed) {
      news.failure = outcome.what;
      return;
    }
    order.memory = hostMemory; // lost: the C version
  }
  bringToHost(rank, order.reads);
  if (rank.memory)
    rank.memory->hostChanges(order.writes);
  if (std::optional<std::string> failed = runBody(order, *rank.mirror))
    news.failure = *failed;
}

void SimulatedCluster::finishTask(RankState &rank, int number, std::size_t which) {
  EventId task = rank.running[which].order.task;
  const MemoryIndex memory = rank.running[which].order.memory;
  rank.running.erase(rank.running.begin() + static_cast<std::ptrdiff_t>(which));
  ++counts.tasks[static_cast<std::size_t>(number)];
  happen(rank, task);
  for (std::size_t k = 0; k < rank.notifications.size();) {
    if (rank.notifications[k].task != task) {
      ++k;
      continue;
    }
    flights.push_back({rank.notifications[k].to, task, {}, {}, false, {}});
    rank.notifications.erase(rank.notifications.begin() + static_cast<std::ptrdiff_t>(k));
  }
  unreported.push_back({Rank{number}, {task, 0, 0, 0, memory}});
}

} // namespace streamap
