// StreamMAP runtime: how fast ranks reach each other.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <span>
#include <string>

#include "assign/resources.h"
#include "discover/inventory.h"

namespace streamap {

/// The links between ranks: remembered in \p file, or measured and added to it. One pair of ranks stands for all of two machines,
/// or of one. A pair takes at most a twentieth of a second, and at most \ref mostMeasuredPairs are measured a start, so a new
/// cluster is known after some starts. Empty \p file: nothing is measured, and what is taken for granted holds. On the head;
/// others get the defaults. Collective over \p comm; \p inventory and \p file are the head's.
Links measureLinks(const Inventory &inventory, const std::string &file, MPI_Comm comm);

inline constexpr std::size_t mostMeasuredPairs = 32;

/// Two ranks, and what was measured between their machines.
struct LinkSample {
  Rank a, b;
  Link link;
};

/// What samples of pairs of machines say about all pairs of ranks: the median for ranks of one machine and of two, and an own
/// entry for what differs from it by more than a third. \p nodes by rank. Pure.
Links linksFrom(std::span<const LinkSample> samples, std::span<const NodeId> nodes);

} // namespace streamap
