// StreamMAP runtime: joining the other ranks, and leaving them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/cluster.h"

#include <time.h>

#include <cstdlib>
#include <limits>
#include <utility>

#include "abi/registry.h"
#include "observe/log.h"
#include "start/surroundings.h"

namespace streamap {
namespace {

std::int64_t monotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A variable that Open MPI reads when it is initialised, and that the program and its children need not see.
class VariableForInit {
public:
  VariableForInit(const char *name, const char *value) : name_(name), mine_(!std::getenv(name)) {
    if (mine_)
      setenv(name, value, 1);
  }
  ~VariableForInit() {
    if (mine_)
      unsetenv(name_);
  }
  VariableForInit(const VariableForInit &) = delete;
  VariableForInit &operator=(const VariableForInit &) = delete;

private:
  const char *name_;
  bool mine_;
};

/// Returns why it could not be used.
std::string initialiseMpi(const Launcher &launcher) {
  // Reading from the other process (CMA) is slower than going through shared memory, for small and large messages, and is not
  // allowed in many containers.
  const VariableForInit copyTwice("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  int granted = MPI_THREAD_SINGLE;
  if (PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &granted) != MPI_SUCCESS)
    return "MPI could not be initialised";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (granted < MPI_THREAD_SERIALIZED)
    return "this MPI library does not let another thread than main's make its calls (MPI_THREAD_SERIALIZED)";
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (launcher.size > 0 && size != launcher.size)
    return "the launcher (" + launcher.name + ") started " + std::to_string(launcher.size) + " processes, but MPI sees " +
           std::to_string(size) + ": libstreamap was built with another MPI than the launcher's";
  return {};
}

/// What every rank has written, on the head; nothing elsewhere.
std::vector<std::vector<std::byte>> gatherBytes(const WireWriter &mine, const Membership &member) {
  const int bytes = static_cast<int>(mine.bytes().size());
  std::vector<int> sizes(static_cast<std::size_t>(member.ranks)), starts(sizes);
  MPI_Gather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, member.orders);
  int total = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    starts[i] = total;
    total += sizes[i];
  }
  std::vector<std::byte> all(static_cast<std::size_t>(total));
  MPI_Gatherv(mine.bytes().data(), bytes, MPI_BYTE, all.data(), sizes.data(), starts.data(), MPI_BYTE, 0, member.orders);
  std::vector<std::vector<std::byte>> byRank;
  if (member.self == headRank)
    for (std::size_t i = 0; i < sizes.size(); ++i)
      byRank.emplace_back(all.begin() + starts[i], all.begin() + starts[i] + sizes[i]);
  return byRank;
}

/// Everybody's greeting, on the head.
std::vector<Greeting> gatherGreetings(const Greeting &mine, const Membership &member) {
  WireWriter out;
  encodeGreeting(out, mine);
  std::vector<Greeting> greetings;
  for (const auto &bytes : gatherBytes(out, member)) {
    WireReader in(bytes);
    greetings.push_back(decodeGreeting(in));
  }
  return greetings;
}

/// What the head has written, on every rank.
std::vector<std::byte> spreadBytes(WireWriter &mine, const Membership &member) {
  std::vector<std::byte> bytes;
  if (member.self == headRank)
    bytes = mine.take();
  auto size = static_cast<std::uint64_t>(bytes.size());
  MPI_Bcast(&size, sizeof size, MPI_BYTE, 0, member.orders);
  bytes.resize(size);
  MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, member.orders);
  return bytes;
}

/// The head's word to all.
Welcome spread(const Welcome &mine, const Membership &member) {
  WireWriter out;
  if (member.self == headRank)
    encodeWelcome(out, mine);
  const auto bytes = spreadBytes(out, member);
  WireReader in(bytes);
  return decodeWelcome(in);
}

std::vector<std::vector<DeviceOffer>> gatherOffers(std::span<const DeviceOffer> mine, const Membership &member) {
  WireWriter out;
  encodeOffers(out, mine);
  std::vector<std::vector<DeviceOffer>> offers;
  for (const auto &bytes : gatherBytes(out, member)) {
    WireReader in(bytes);
    offers.push_back(decodeOffers(in));
  }
  return offers;
}

/// Who takes which device of a node, by what all ranks see.
DeviceShares agreeOnShares(const std::vector<DeviceProperties> &seen, const Membership &member) {
  std::vector<DeviceOffer> mine;
  for (const DeviceProperties &properties : seen)
    mine.push_back({properties, {}});
  const auto offers = gatherOffers(mine, member);
  WireWriter out;
  if (member.self == headRank) {
    std::vector<std::vector<DeviceProperties>> byRank;
    std::vector<NodeId> nodes;
    for (std::size_t rank = 0; rank < offers.size(); ++rank) {
      auto &list = byRank.emplace_back();
      for (const DeviceOffer &offer : offers[rank])
        list.push_back(offer.properties);
      nodes.push_back(member.welcome.shares[rank].node);
    }
    const DeviceShares shares = shareDevices(byRank, nodes);
    for (const std::string &notice : shares.notices)
      log().warn(notice);
    encodeShares(out, shares);
  }
  const auto bytes = spreadBytes(out, member);
  WireReader in(bytes);
  return decodeShares(in);
}

/// Finds devices, agrees with the others, opens this rank's. Every rank, collectively.
void takeDevices(Membership &member) {
  if (member.welcome.devices == "none")
    return;
  RankDevices devices(member.welcome.devices, {member.mine().host, member.self.value, 0});
  const DeviceShares shares = agreeOnShares(devices.found(), member);
  member.devices = devices.open(shares.byRank[static_cast<std::size_t>(member.self.value)]);
  member.offers = gatherOffers(offersOf(member.devices), member);
  for (const std::string &notice : devices.takeNotices())
    log().warn("rank {} on {}: {}", member.self.value, member.mine().host, notice);
  if (!devices.reason().empty())
    log().info("rank {} on {}: {}", member.self.value, member.mine().host, devices.reason());
}

Welcome decide(const std::vector<Greeting> &greetings, const Result<Settings> &settings) {
  Welcome welcome;
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
  welcome.wantsTrace = !settings->trace.empty();
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
  greeting.problem = initialiseMpi(launcher);
  if (const auto checked = checkRegistry(); !checked && greeting.problem.empty())
    greeting.problem = checked.error().message;
  MPI_Comm_dup(MPI_COMM_WORLD, &member.orders);
  MPI_Comm_dup(MPI_COMM_WORLD, &member.data);
  for (const MPI_Comm comm : {member.orders, member.data})
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(member.orders, &rank);
  MPI_Comm_size(member.orders, &member.ranks);
  member.self = Rank{rank};

  const auto greetings = gatherGreetings(greeting, member);
  Welcome decision;
  if (member.self == headRank)
    decision = decide(greetings, settings);
  member.welcome = spread(decision, member);
  if (!member.welcome.problem.empty()) {
    leaveMpi();
    return std::nullopt;
  }
  openBells(member);
  member.clockOffsetNs = clockOffset(member);
  if (member.self != headRank)
    if (const std::string problem = takeSurroundings(member.welcome.surroundings); !problem.empty())
      log().warn("rank {} on {}: {}", rank, member.mine().host, problem);
  setLogLevel(member.welcome.logLevel);
  takeDevices(member);
  return member;
}

bool hasSpareCore(const Membership &member) {
  const auto rank = static_cast<std::size_t>(member.self.value);
  const int busy = member.welcome.slots[rank] + (member.self == headRank ? 1 : 0);
  return !member.welcome.shares[rank].oversubscribed && member.welcome.shares[rank].cores > busy;
}

void leaveMpi() {
  PMPI_Finalize();
}

} // namespace streamap
