// StreamMAP runtime: joining the other ranks, and leaving them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/cluster.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "abi/registry.h"
#include "exec/monotonic.h"
#include "observe/log.h"
#include "start/measure_links.h"
#include "start/surroundings.h"

namespace streamap {
namespace {

/// Everybody's greeting, on the head.
std::vector<Greeting> gatherGreetings(const Greeting &mine, const Membership &member) {
  WireWriter out;
  encodeGreeting(out, mine);
  std::vector<Greeting> greetings;
  for (const auto &bytes : gatherBytes(out.bytes(), member.orders)) {
    WireReader in(bytes);
    greetings.push_back(decodeGreeting(in));
  }
  return greetings;
}

/// The head's word to all.
Welcome spread(const Welcome &mine, const Membership &member) {
  WireWriter out;
  if (member.self == headRank)
    encodeWelcome(out, mine);
  const auto bytes = spreadBytes(out.take(), member.orders);
  WireReader in(bytes);
  return decodeWelcome(in);
}

std::vector<std::vector<DeviceOffer>> gatherOffers(std::span<const DeviceOffer> mine, const Membership &member) {
  WireWriter out;
  encodeOffers(out, mine);
  std::vector<std::vector<DeviceOffer>> offers;
  for (const auto &bytes : gatherBytes(out.bytes(), member.orders)) {
    WireReader in(bytes);
    offers.push_back(decodeOffers(in));
  }
  return offers;
}

/// Who takes which device of a node, by what all ranks see.
DeviceShares agreeOnShares(const DeviceSight &seen, Membership &member) {
  WireWriter sight, out;
  encodeSight(sight, seen);
  const auto sights = gatherBytes(sight.bytes(), member.orders);
  if (member.self == headRank) {
    for (std::size_t rank = 0; rank < sights.size(); ++rank) {
      WireReader in(sights[rank]);
      member.inventory.ranks[rank].sight = decodeSight(in);
    }
    member.inventory = takeStock(std::move(member.inventory.ranks));
    for (const std::string &notice : member.inventory.shared.notices)
      log().warn(notice);
    encodeShares(out, member.inventory.shared);
  }
  const auto bytes = spreadBytes(out.take(), member.orders);
  WireReader in(bytes);
  return decodeShares(in);
}

/// Finds devices, agrees with the others, opens this rank's. Every rank, collectively.
void takeDevices(Membership &member) {
  if (member.welcome.devices == "none")
    return;
  RankDevices devices(member.welcome.devices, {member.mine().host, member.self.value, 0});
  const DeviceShares shares = agreeOnShares(devices.sight(), member);
  member.devices = devices.open(shares.byRank[static_cast<std::size_t>(member.self.value)]);
  member.offers = gatherOffers(offersOf(member.devices), member);
  for (const std::string &notice : devices.takeNotices())
    log().warn("rank {} on {}: {}", member.self.value, member.mine().host, notice);
  for (const HiddenDevice &hidden : devices.sight().hidden)
    log().info("rank {} on {}: {} ({}) is not visible: {}", member.self.value, member.mine().host, hidden.name,
               describe(hidden.uuid), hidden.why);
  if (!devices.reason().empty())
    log().info("rank {} on {}: {}", member.self.value, member.mine().host, devices.reason());
}

Welcome decide(const std::vector<Greeting> &greetings, const Result<Settings> &settings) {
  Welcome welcome;
  if (settings && !settings->help.empty()) {
    std::fputs(settings->help.c_str(), stdout);
    welcome.problem = "asked for help";
    return welcome;
  }
  const Result<void> fit = settings ? checkGreetings(greetings) : tl::make_unexpected(settings.error());
  if (!fit) {
    showError(fit.error());
    welcome.problem = fit.error().message;
    return welcome;
  }
  for (const auto &greeting : greetings)
    welcome.machines.push_back(greeting.machine);
  welcome.shares = shareCores(welcome.machines);
  welcome.slots = slotsByRank(welcome.shares, *settings);
  if (const auto notice = bindingNotice(welcome.machines))
    log().warn(*notice);
  welcome.wantsTrace = !settings->trace.empty() || !settings->record.empty();
  welcome.logLevel = settings->log;
  welcome.devices = settings->devices;
  welcome.deviceTasks = settings->deviceTasks;
  welcome.surroundings = packSurroundings();
  return welcome;
}

void openBells(Membership &member) {
  for (int rank = 0; rank < member.ranks; ++rank) {
    const Machine &other = member.machine(Rank{rank});
    const bool reachable = rank != member.self.value && other.doorbell >= 0 && seeEachOther(other, member.mine());
    member.bells.others.push_back(reachable ? RemoteDoorbell::open(other.pid, other.doorbell) : nullptr);
  }
}

/// How far the head's clock is ahead of this machine's. On one machine there is one clock; elsewhere the fastest of a few round
/// trips tells. Every rank but the head, one after the other.
std::int64_t clockOffset(const Membership &member) {
  constexpr int rounds = 16, tag = 1;
  std::int64_t best = 0, fastest = std::numeric_limits<std::int64_t>::max();
  for (int rank = 1; rank < member.ranks; ++rank) {
    if (member.welcome.shares[static_cast<std::size_t>(rank)].node == member.welcome.shares[0].node)
      continue;
    for (int i = 0; i < rounds; ++i) {
      std::int64_t theirs = 0;
      if (member.self == headRank) {
        MPI_Recv(nullptr, 0, MPI_BYTE, rank, tag, member.orders, MPI_STATUS_IGNORE);
        theirs = monotonicNs();
        MPI_Send(&theirs, sizeof theirs, MPI_BYTE, rank, tag, member.orders);
      } else if (member.self.value == rank) {
        const std::int64_t before = monotonicNs();
        MPI_Send(nullptr, 0, MPI_BYTE, 0, tag, member.orders);
        MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, 0, tag, member.orders, MPI_STATUS_IGNORE);
        const std::int64_t after = monotonicNs();
        if (after - before < fastest) {
          fastest = after - before;
          best = theirs - (before + after) / 2;
        }
      }
    }
  }
  return best;
}

} // namespace

std::optional<Membership> joinCluster(const Launcher &launcher, const Result<Settings> &settings) {
  Membership member;
  Greeting greeting = makeGreeting();
  member.bells.own = std::make_unique<Doorbell>();
  greeting.machine.doorbell = member.bells.own->handle();
  MpiStart mpi = startMpi(launcher);
  greeting.problem = std::move(mpi.problem);
  if (const auto fine = checkRegistry(); !fine && !greeting.problem)
    greeting.problem = fine.error();
  greeting.launcher = launcher.name;
  greeting.launcherSize = launcher.size;
  greeting.mpi = std::move(mpi.facts);
  member.orders = mpi.orders;
  member.data = mpi.data;
  member.self = mpi.self;
  member.ranks = mpi.ranks;

  const auto greetings = gatherGreetings(greeting, member);
  Welcome decision;
  if (member.self == headRank)
    decision = decide(greetings, settings);
  member.welcome = spread(decision, member);
  if (!member.welcome.problem.empty()) {
    leaveMpi();
    return std::nullopt;
  }
  for (const Greeting &one : greetings)
    member.inventory.ranks.push_back({one.machine, one.launcher, one.launcherSize, one.mpi, {}, {}});
  openBells(member);
  member.clockOffsetNs = clockOffset(member);
  if (member.self != headRank)
    if (const std::string problem = takeSurroundings(member.welcome.surroundings); !problem.empty())
      log().warn("rank {} on {}: {}", member.self.value, member.mine().host, problem);
  setLogLevel(member.welcome.logLevel);
  takeDevices(member);
  if (member.self == headRank) {
    if (member.inventory.shares.empty()) // no devices were looked for
      member.inventory = takeStock(std::move(member.inventory.ranks));
    member.inventory.slots = member.welcome.slots;
  }
  member.links = measureLinks(member.inventory, settings ? linksFile(*settings) : std::string(), member.orders);
  return member;
}

bool hasSpareCore(const Membership &member) {
  const auto rank = static_cast<std::size_t>(member.self.value);
  const int busy = member.welcome.slots[rank] + (member.self == headRank ? 1 : 0);
  return !member.welcome.shares[rank].oversubscribed && member.welcome.shares[rank].cores > busy;
}

} // namespace streamap
