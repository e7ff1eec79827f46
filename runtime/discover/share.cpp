// StreamMAP runtime: which ranks share a machine, and how they share its cores.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/share.h"

#include <algorithm>
#include <map>
#include <set>

namespace streamap {
namespace {

/// Gives each core to that rank among its users which has the fewest so far.
void shareNode(std::span<const Machine> byRank, const std::vector<std::size_t> &ranks, std::vector<RankShare> &shares) {
  std::map<std::uint32_t, std::vector<std::size_t>> users;
  for (const std::size_t rank : ranks)
    for (const std::uint32_t core : byRank[rank].cores)
      users[core].push_back(rank);
  // Cores with few users first, so that a rank with little choice gets its own.
  std::vector<const std::vector<std::size_t> *> cores;
  for (const auto &[core, wanting] : users)
    cores.push_back(&wanting);
  std::stable_sort(cores.begin(), cores.end(), [](const auto *a, const auto *b) { return a->size() < b->size(); });
  std::map<std::size_t, int> given;
  for (const auto *wanting : cores)
    ++given[*std::min_element(wanting->begin(), wanting->end(),
                              [&](std::size_t a, std::size_t b) { return given[a] < given[b]; })];
  for (const std::size_t rank : ranks) {
    shares[rank].oversubscribed = given[rank] == 0;
    shares[rank].cores = std::max(1, given[rank]);
  }
}

/// A control group's limit holds for all ranks in it together; ranks of one machine are taken to be in the same one.
void applyQuota(std::span<const Machine> byRank, const std::vector<std::size_t> &ranks, std::vector<RankShare> &shares) {
  std::uint32_t quota = 0;
  for (const std::size_t rank : ranks)
    if (byRank[rank].quota > 0)
      quota = quota == 0 ? byRank[rank].quota : std::min(quota, byRank[rank].quota);
  if (quota == 0)
    return;
  const int each = std::max(1, static_cast<int>(quota / ranks.size()));
  for (const std::size_t rank : ranks)
    shares[rank].cores = std::min(shares[rank].cores, each);
}

} // namespace

std::vector<RankShare> shareCores(std::span<const Machine> byRank) {
  std::vector<RankShare> shares(byRank.size());
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  std::vector<std::vector<std::size_t>> nodes;
  for (std::size_t rank = 0; rank < byRank.size(); ++rank) {
    const auto [place, fresh] = numbers.try_emplace({byRank[rank].host, byRank[rank].boot}, nodes.size());
    if (fresh)
      nodes.emplace_back();
    nodes[place->second].push_back(rank);
    shares[rank].node = NodeId{static_cast<int>(place->second)};
  }
  for (const auto &ranks : nodes) {
    shareNode(byRank, ranks, shares);
    applyQuota(byRank, ranks, shares);
  }
  return shares;
}

std::optional<std::string> bindingNotice(std::span<const Machine> byRank) {
  std::map<std::pair<std::string, std::string>, std::set<std::uint32_t>> used;
  for (const auto &machine : byRank)
    used[{machine.host, machine.boot}].insert(machine.cores.begin(), machine.cores.end());
  for (const auto &machine : byRank) {
    const std::size_t cores = used[{machine.host, machine.boot}].size();
    if (cores < machine.machineCores && (machine.quota == 0 || cores < machine.quota))
      return "all ranks on " + machine.host + " together are bound to " + std::to_string(cores) + " of its " +
             std::to_string(machine.machineCores) + " cores; mpirun --bind-to none lets them use the others";
  }
  return std::nullopt;
}

} // namespace streamap
