// StreamMAP simulator: a cluster that need not exist.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assign/resources.h"
#include "base/result.h"

namespace streamap::simulate {

/// A description of GPUs of one kind in one node.
struct GpuKind {
  int count = 1;
  std::string name = "GPU";
  std::string vendor = "nvidia";
  ComputeCapability capability{9, 0};
  double speed = 1e12; ///< operations per second
  Bytes memory{std::uint64_t{80} << 30};
  Link link{25e9, 5e-6}; ///< to the node's memory; each direction has it to itself
  int lanes = 2;         ///< tasks worked on at a time, so that the copies of one overlap the kernels of another
};

/// Nodes that are alike. Each is one rank.
struct NodeKind {
  int count = 1;
  std::string name = "node";
  int cores = 1;
  double coreSpeed = 1e10; ///< operations per second and core
  std::vector<GpuKind> gpus;
  std::vector<std::string> labels;
};

/// Something that goes wrong.
struct Breakage {
  Seconds at = 0;
  Rank rank;
  std::optional<int> gpu; ///< that GPU of the node; empty: the whole node
  double slowdown = 0;    ///< 0: it is lost; otherwise its tasks take that many times as long from then on
};

/// What streamap-sim reads with --cluster. docs/simulator.md describes the file.
struct Cluster {
  std::vector<NodeKind> nodes;
  Link withinNode{8e9, 2e-6};   ///< of a node's memory to itself: ranks are nodes here, so only policies look at it
  Link betweenNodes{1e9, 2e-5}; ///< each node has it once in each direction
  Seconds launchTime = 2e-6;    ///< that the head needs for a task
  std::vector<Breakage> breakages;

  int ranks() const;
  /// What the assignment is told of it.
  ResourceTable resources() const;
  /// `8 nodes, 64 cores, 16 GPUs`.
  std::string describe() const;
};

/// Errors name the file and the place in it.
Result<Cluster> readCluster(const std::string &path);

/// \p nodes nodes with \p cores cores of \p coreSpeed and \p gpus GPUs that are \p gpuFactor times as fast as a core.
Cluster regularCluster(int nodes, int cores, int gpus, double coreSpeed, double gpuFactor, Link betweenNodes);

} // namespace streamap::simulate
