// StreamMAP runtime: noticing that a process on the same machine has ended.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/liveness.h"

#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace streamap {

Liveness::~Liveness() {
  for (const auto &one : watched_)
    close(one.handle);
}

void Liveness::watch(Rank rank, const Machine &other, const Machine &mine) {
  if (!seeEachOther(other, mine))
    return;
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, other.pid, 0));
  if (handle >= 0)
    watched_.push_back({rank, handle});
}

std::optional<Rank> Liveness::findLost() {
  constexpr std::int64_t lookEveryNs = 200'000'000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const std::int64_t nowNs = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (nowNs < nextLookNs_)
    return std::nullopt;
  nextLookNs_ = nowNs + lookEveryNs;
  for (const auto &one : watched_) {
    pollfd ended{one.handle, POLLIN, 0};
    if (poll(&ended, 1, 0) > 0)
      return one.rank;
  }
  return std::nullopt;
}

} // namespace streamap
