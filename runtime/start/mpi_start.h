// StreamMAP runtime: starting MPI, and the collectives of the start.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "discover/launcher.h"
#include "discover/mpi_facts.h"

namespace streamap {

/// The ranks before they have agreed on anything.
struct MpiStart {
  std::optional<Error> problem; ///< why it cannot be used; the communicators can be, so that all are told
  MpiFacts facts;
  Rank self;
  int ranks = 1;
  MPI_Comm orders = MPI_COMM_NULL;
  MPI_Comm data = MPI_COMM_NULL;
};

/// Initialises MPI, which must not have been, and makes two communicators that return errors. Called by main's thread,
/// collectively.
MpiStart startMpi(const Launcher &launcher);

/// What every rank has written, on the head; nothing elsewhere. Collective over \p comm.
std::vector<std::vector<std::byte>> gatherBytes(std::span<const std::byte> mine, MPI_Comm comm);

/// What the head has written, on every rank; others' \p mine does not matter. Collective over \p comm.
std::vector<std::byte> spreadBytes(std::vector<std::byte> mine, MPI_Comm comm);

/// Finalises MPI. Called when no thread uses it any more.
void leaveMpi();

} // namespace streamap
