// StreamMAP runtime: the best of many, kept up to date.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "assign/offer.h"

namespace streamap {

/// Entrants 0..n-1 with a rating and what they have free; those that do not take part are passed over. A change costs O(log n)
/// and allocates nothing, the best one is known at any time. Not thread-safe.
class Tournament {
public:
  static constexpr int nobody = -1;

  explicit Tournament(int entrants)
      : leaves(std::bit_ceil(static_cast<std::size_t>(std::max(entrants, 1)))), ratings(static_cast<std::size_t>(entrants)),
        nodes(2 * leaves) {}

  /// \p units and \p memory: what it has free.
  void set(int entrant, bool takesPart, const Rating &rating, std::int32_t units, Bytes memory) {
    ratings[static_cast<std::size_t>(entrant)] = rating;
    std::size_t at = leaves + static_cast<std::size_t>(entrant);
    nodes[at] = takesPart ? Node{entrant, units, memory} : Node{};
    while (at > 1) {
      at /= 2;
      const Node &left = nodes[2 * at], &right = nodes[2 * at + 1];
      nodes[at] = {better(left.winner, right.winner), std::max(left.units, right.units), std::max(left.memory, right.memory)};
    }
  }

  /// The lowest rated, of those alike the lowest number.
  int best() const { return nodes[1].winner; }

  /// The best one that has so much free. O(log n) unless many have enough of one and not of the other.
  int bestWith(std::int32_t units, Bytes memory) const {
    int found = nobody;
    search(1, units, memory, found);
    return found;
  }

private:
  struct Node {
    std::int32_t winner = nobody;
    std::int32_t units = -1; ///< the most that anyone below has free
    Bytes memory;
  };

  int better(int a, int b) const {
    if (a == nobody || b == nobody)
      return a == nobody ? b : a;
    const Rating &first = ratings[static_cast<std::size_t>(a)], &second = ratings[static_cast<std::size_t>(b)];
    if (first < second)
      return a;
    return second < first ? b : std::min(a, b);
  }

  void search(std::size_t at, std::int32_t units, Bytes memory, int &found) const {
    const Node &node = nodes[at];
    if (node.winner == nobody || node.units < units || node.memory < memory || better(node.winner, found) != node.winner)
      return;
    if (at >= leaves) {
      found = node.winner;
      return;
    }
    // The half with the better winner first: the other one is often passed over then.
    const bool leftFirst = better(nodes[2 * at].winner, nodes[2 * at + 1].winner) == nodes[2 * at].winner;
    search(2 * at + (leftFirst ? 0 : 1), units, memory, found);
    search(2 * at + (leftFirst ? 1 : 0), units, memory, found);
  }

  std::size_t leaves;
  std::vector<Rating> ratings;
  std::vector<Node> nodes; ///< 1 is the root; the children of k are 2k and 2k + 1
};

} // namespace streamap
