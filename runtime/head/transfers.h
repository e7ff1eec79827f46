// StreamMAP runtime: transfers for one task, one order for each source. Internal to head/.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/ids.h"
#include "exec/orders.h"

namespace streamap {

class TransferGroups {
public:
  struct Group {
    Rank source;
    SendOrder order;
  };

  /// The group for bytes of \p version at \p source whose receiver has \p receiverHas; the caller fills a fresh one (transfer 0).
  Group &of(Rank source, Version version, Version receiverHas) {
    std::tuple key{source, version, receiverHas};
    if (!groups.empty() && key == lastKey)
      return groups[lastIndex];
    auto [at, fresh] = index.try_emplace(key, groups.size());
    if (fresh)
      groups.push_back({source, {}});
    lastKey = key;
    lastIndex = at->second;
    return groups[lastIndex];
  }

  bool uses(Rank source) const {
    for (const Group &group : groups)
      if (group.source == source)
        return true;
    return false;
  }

  std::vector<Group> groups;

private:
  std::map<std::tuple<Rank, Version, Version>, std::size_t> index;
  std::tuple<Rank, Version, Version> lastKey;
  std::size_t lastIndex = 0;
};

} // namespace streamap
