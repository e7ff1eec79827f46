// StreamMAP runtime: which ranks share a machine, and how they share its cores.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "discover/machine.h"

namespace streamap {

/// What a rank has after all have agreed.
struct RankShare {
  NodeId node;
  int cores = 1;               ///< its part of the cores that it may use, at least 1
  bool oversubscribed = false; ///< there are fewer cores than ranks that want one
};

/// Numbers the machines in the order of their first ranks, and gives each core to one of the ranks that may use it, evenly. Pure:
/// every rank would come to the same result.
std::vector<RankShare> shareCores(std::span<const Machine> byRank);

/// What to tell a user whose launcher has bound all ranks of a machine to a few of its cores (Open MPI does so for one and two
/// ranks); nothing when all is well. Pure.
std::optional<std::string> bindingNotice(std::span<const Machine> byRank);

} // namespace streamap
