// StreamMAP runtime: noticing that a process on the same machine has ended.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "discover/machine.h"

namespace streamap {

/// Watches processes of this machine through pidfds: a killed one is seen within a fraction of a second. Those on other machines,
/// in another process namespace, or on a system without pidfds, are left to the launcher. Not thread-safe.
class Liveness {
public:
  Liveness() = default;
  ~Liveness();
  Liveness(const Liveness &) = delete;
  Liveness &operator=(const Liveness &) = delete;

  /// Watches `other` if it can be seen from `mine`.
  void watch(Rank rank, const Machine &other, const Machine &mine);

  /// A rank whose process has ended, if there is one. Cheap: looks every 200 ms at most.
  std::optional<Rank> findLost();

private:
  struct Watched {
    Rank rank;
    int handle;
  };
  std::vector<Watched> watched_;
  std::int64_t nextLookNs_ = 0;
};

} // namespace streamap
