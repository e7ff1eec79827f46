// StreamMAP runtime: how fast ranks reach each other.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/measure_links.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <utility>
#include <vector>

#include "comm/wire.h"
#include "discover/link_file.h"
#include "observe/log.h"
#include "start/mpi_start.h"

namespace streamap {
namespace {

constexpr int tag = 2;
constexpr int smallRounds = 21, largeRounds = 5;
constexpr int largeBytes = 1 << 20;
/// A machine that is that slow is known well enough after one round.
constexpr double patienceSeconds = 0.05;

/// Two ranks that stand for their machines.
struct Pair {
  int a = 0, b = 0;
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One message there and back. \p leads: begins.
double roundTrip(std::vector<std::byte> &buffer, int bytes, int other, bool leads, MPI_Comm comm) {
  const double begin = seconds();
  if (leads)
    MPI_Send(buffer.data(), bytes, MPI_BYTE, other, tag, comm);
  MPI_Recv(buffer.data(), bytes, MPI_BYTE, other, tag, comm, MPI_STATUS_IGNORE);
  if (!leads)
    MPI_Send(buffer.data(), bytes, MPI_BYTE, other, tag, comm);
  return seconds() - begin;
}

/// The leader tells before each round whether there is another.
template <class Take> void rounds(int most, int bytes, int other, bool leads, MPI_Comm comm, double until, Take take) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  for (int k = 0;; ++k) {
    int more = k < most && (k == 0 || seconds() < until) ? 1 : 0;
    if (leads)
      MPI_Send(&more, 1, MPI_INT, other, tag, comm);
    else
      MPI_Recv(&more, 1, MPI_INT, other, tag, comm, MPI_STATUS_IGNORE);
    if (!more)
      return;
    take(roundTrip(buffer, bytes, other, leads, comm));
  }
}

/// Both ranks; the result is the leader's. The fastest of some rounds: whatever else goes on only slows one down, and the first
/// connects and touches the pages.
Link measurePair(int other, bool leads, MPI_Comm comm) {
  const double begin = seconds();
  double small = 1e9, large = 1e9;
  rounds(smallRounds, 8, other, leads, comm, begin + patienceSeconds / 2, [&](double time) { small = std::min(small, time); });
  rounds(largeRounds, largeBytes, other, leads, comm, begin + patienceSeconds,
         [&](double time) { large = std::min(large, time); });
  const double latency = std::max(small / 2, 1e-9);
  return {largeBytes / std::max(large / 2 - latency, 1e-9), latency};
}

/// The pairs of machines, by their first ranks; machines with several ranks also with themselves.
std::vector<Pair> pairsOf(const Inventory &inventory) {
  std::map<NodeId, std::vector<int>> nodes;
  for (std::size_t rank = 0; rank < inventory.shares.size(); ++rank)
    nodes[inventory.shares[rank].node].push_back(static_cast<int>(rank));
  std::vector<Pair> pairs;
  for (auto node = nodes.begin(); node != nodes.end(); ++node) {
    if (node->second.size() > 1)
      pairs.push_back({node->second[0], node->second[1]});
    for (auto other = std::next(node); other != nodes.end(); ++other)
      pairs.push_back({node->second[0], other->second[0]});
  }
  return pairs;
}

LinkKey keyOf(const Inventory &inventory, const Pair &pair) {
  const RankFacts &a = inventory.ranks[static_cast<std::size_t>(pair.a)];
  return linkKey(a.machine.host, inventory.ranks[static_cast<std::size_t>(pair.b)].machine.host, a.mpi.library);
}

Link median(std::vector<Link> links) {
  const auto middle = [&](double Link::*member) {
    std::nth_element(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(links.size() / 2), links.end(),
                     [&](const Link &x, const Link &y) { return x.*member < y.*member; });
    return links[links.size() / 2].*member;
  };
  Link result;
  result.bytesPerSecond = middle(&Link::bytesPerSecond);
  result.latency = middle(&Link::latency);
  return result;
}

bool differs(double a, double b) {
  return a > b * 4 / 3 || b > a * 4 / 3;
}

/// What the head knows and still has to find out.
struct Plan {
  std::vector<LinkSample> known;
  std::vector<Pair> missing;
};

Plan planFrom(const Inventory &inventory, const std::string &file, std::int64_t now) {
  Plan plan;
  if (file.empty())
    return plan;
  const auto remembered = readLinks(file, now);
  if (!remembered) {
    log().warn(remembered.error().message);
    return plan;
  }
  for (const Pair &pair : pairsOf(inventory)) {
    const auto found = remembered->find(keyOf(inventory, pair));
    if (found != remembered->end())
      plan.known.push_back({Rank{pair.a}, Rank{pair.b}, {found->second.bytesPerSecond, found->second.latency}});
    else if (plan.missing.size() < mostMeasuredPairs)
      plan.missing.push_back(pair);
  }
  return plan;
}

} // namespace

Links linksFrom(std::span<const LinkSample> samples, std::span<const NodeId> nodes) {
  const auto nodeOf = [&](Rank rank) { return nodes[static_cast<std::size_t>(rank.value)]; };
  Links links;
  for (const bool within : {true, false}) {
    std::vector<Link> all;
    for (const LinkSample &sample : samples)
      if ((nodeOf(sample.a) == nodeOf(sample.b)) == within)
        all.push_back(sample.link);
    if (!all.empty())
      (within ? links.withinNode : links.betweenNodes) = median(std::move(all));
  }
  std::map<NodeId, std::vector<Rank>> ranks;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    ranks[nodes[rank]].push_back(Rank{static_cast<int>(rank)});
  for (const LinkSample &sample : samples) {
    const Link &usual = nodeOf(sample.a) == nodeOf(sample.b) ? links.withinNode : links.betweenNodes;
    if (!differs(sample.link.bytesPerSecond, usual.bytesPerSecond) && !differs(sample.link.latency, usual.latency))
      continue;
    for (const Rank a : ranks[nodeOf(sample.a)])
      for (const Rank b : ranks[nodeOf(sample.b)])
        if (a != b)
          links.set(a, b, sample.link);
  }
  return links;
}

Links measureLinks(const Inventory &inventory, const std::string &file, MPI_Comm comm) {
  int self = 0;
  MPI_Comm_rank(comm, &self);
  const bool isHead = Rank{self} == headRank;
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  Plan plan;
  WireWriter out;
  if (isHead) {
    plan = planFrom(inventory, file, now);
    out.putAll(plan.missing);
  }
  const auto bytes = spreadBytes(out.take(), comm);
  const auto missing = WireReader(bytes).getAll<Pair>();
  std::map<LinkKey, MeasuredLink> fresh;
  for (const Pair &pair : missing) { // one after the other, so that none disturbs another
    Link link;
    if (self == pair.a || self == pair.b)
      link = measurePair(self == pair.a ? pair.b : pair.a, self == pair.a, comm);
    if (self == pair.a && !isHead)
      MPI_Send(&link, sizeof link, MPI_BYTE, headRank.value, tag, comm);
    if (!isHead)
      continue;
    if (pair.a != self)
      MPI_Recv(&link, sizeof link, MPI_BYTE, pair.a, tag, comm, MPI_STATUS_IGNORE);
    fresh[keyOf(inventory, pair)] = {link.latency, link.bytesPerSecond, now};
    plan.known.push_back({Rank{pair.a}, Rank{pair.b}, link});
    log().info("between ranks {} and {}: {:.1f} us, {:.2f} GB/s", pair.a, pair.b, link.latency * 1e6, link.bytesPerSecond * 1e-9);
  }
  if (!fresh.empty())
    if (const auto written = addLinks(file, fresh, now); !written)
      log().warn(written.error().message);
  std::vector<NodeId> nodes;
  for (const RankShare &share : inventory.shares)
    nodes.push_back(share.node);
  return linksFrom(plan.known, nodes);
}

} // namespace streamap
