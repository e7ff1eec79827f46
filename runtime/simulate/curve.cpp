// StreamMAP simulator: what assignment costs as clusters grow.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/curve.h"

#include <algorithm>
#include <cassert>

#include "simulate/generate.h"
#include "simulate/simulation.h"

namespace streamap::simulate {

std::vector<CurvePoint> assignmentCurve(const Policy &policy, int most, int least) {
  std::vector<CurvePoint> points;
  for (int nodes = 10; nodes <= most; nodes = points.size() % 2 == 0 ? points.back().nodes / 3 * 10 : nodes * 3) {
    constexpr int tasksPerNode = 16;
    const std::string tasks = std::to_string(std::max(least, nodes * tasksPerNode));
    const std::string width = std::to_string(nodes * tasksPerNode / 2);
    const auto program = generate("random:tasks=" + tasks + ",width=" + width + ",reach=16");
    assert(program);
    const Cluster cluster = regularCluster(nodes, 8, 8, 1e10, 10, {10e9, 2e-6});
    RunSetup setup;
    setup.placement.policy = &policy;
    setup.coreTime = true;
    setup.maxTasks = static_cast<std::size_t>(std::max(least, nodes * tasksPerNode));
    const auto outcome = simulate(cluster, *program, setup);
    assert(outcome && outcome->stopped.empty());
    points.push_back({nodes, outcome->assignTime / static_cast<double>(outcome->tasks) * 1e6});
  }
  return points;
}

} // namespace streamap::simulate
