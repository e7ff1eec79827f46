// StreamMAP runtime: what the cluster is made of, as its ranks see it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "discover/device_share.h"
#include "discover/device_sight.h"
#include "discover/machine.h"
#include "discover/mpi_facts.h"
#include "discover/share.h"

namespace streamap {

/// One rank: where it is, who started it, and what it sees there.
struct RankFacts {
  Machine machine;
  std::string launcher; ///< its name; empty: none
  int launcherSize = 0; ///< processes that it says it has started; 0: not told
  MpiFacts mpi;
  DeviceSight sight;
  std::vector<std::string> binaries; ///< what it runs, each by a name and a hash: alike on all ranks if all is well
};

/// All ranks, and how they share what they have in common. By rank, but for `shared.notices`.
struct Inventory {
  std::vector<RankFacts> ranks;
  std::vector<RankShare> shares;
  std::vector<int> slots; ///< C tasks that run at once
  DeviceShares shared;
};

/// Divides cores and devices of \p ranks. Slots are left to the caller, who knows the settings. Pure.
Inventory takeStock(std::vector<RankFacts> ranks);

/// For programs: `streamap-info --json`. docs/discovery.md describes it; `version` grows when a key changes its meaning.
nlohmann::ordered_json toJson(const Inventory &inventory);

} // namespace streamap
