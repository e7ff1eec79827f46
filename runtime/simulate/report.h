// StreamMAP simulator: what it found, for people and for programs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "simulate/bounds.h"
#include "simulate/simulation.h"

namespace streamap::simulate {

/// One policy's run.
struct PolicyRun {
  std::string policy;
  Outcome outcome;
  double realTime = 0; ///< seconds that simulating it took
};

/// A program on a cluster under some policies.
struct Comparison {
  const Cluster &cluster;
  const Program &program;
  Bounds bounds;
  std::vector<PolicyRun> runs;
};

void printTable(std::ostream &out, const Comparison &comparison);
void printJson(std::ostream &out, const Comparison &comparison);

/// A trace that Perfetto and chrome://tracing read, in the form of the runtime's own: pid = rank, tid = core, or behind the cores
/// the rank's devices.
Result<void> writeTrace(const std::string &path, const Cluster &cluster, const Program &program, const Outcome &outcome);

} // namespace streamap::simulate
