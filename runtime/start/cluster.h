// StreamMAP runtime: joining the other ranks, and leaving them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "assign/resources.h"
#include "base/result.h"
#include "comm/mpi_transport.h"
#include "config/settings.h"
#include "discover/inventory.h"
#include "discover/launcher.h"
#include "start/greeting.h"
#include "start/mpi_start.h"
#include "start/rank_devices.h"

namespace streamap {

/// This rank among all, once they have agreed to run.
struct Membership {
  Rank self;
  int ranks = 1;
  MPI_Comm orders = MPI_COMM_NULL;
  MPI_Comm data = MPI_COMM_NULL;
  Welcome welcome;
  Bells bells;
  std::vector<OwnedDevice> devices;             ///< this rank's
  std::vector<std::vector<DeviceOffer>> offers; ///< the head only: by rank
  Inventory inventory;                          ///< the head only; shares and slots are those of `welcome`
  Links links;                                  ///< the head only: between ranks, as measured
  std::int64_t clockOffsetNs = 0;               ///< from this machine's monotonic clock to the head's

  const Machine &machine(Rank rank) const { return welcome.machines[static_cast<std::size_t>(rank.value)]; }
  const Machine &mine() const { return machine(self); }
};

/// Initialises MPI and agrees with the other ranks. \p settings: the head's decide, or its mistake is shown. When the ranks do
/// not agree, the head shows one message and every rank gets nothing: MPI has been finalised. Called by main's thread,
/// collectively.
std::optional<Membership> joinCluster(const Launcher &launcher, const Result<Settings> &settings);

/// Whether this rank has a core that neither slots nor main use, for a progress thread that looks without a pause.
bool hasSpareCore(const Membership &member);

} // namespace streamap
