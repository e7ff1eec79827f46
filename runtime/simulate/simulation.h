// StreamMAP simulator: a program on a cluster, in virtual time.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assign/placer.h"
#include "base/result.h"
#include "simulate/cluster.h"
#include "simulate/program.h"

namespace streamap::simulate {

/// How a program is run.
struct RunSetup {
  Placer::Setup placement;
  std::size_t maxTasks = 16384; ///< unfinished tasks from which on a launch waits
  /// The assignment knows from earlier runs how long tasks take. Otherwise it has to find out.
  bool history = true;
  double noise = 0; ///< tasks take up to that part more or less time, at random but the same in every run
  bool trace = false;
  /// Outcome::assignTime counts the time that this thread had a core, not what passed. To ask for it takes longer than to assign
  /// a task, so it is for measurements alone.
  bool coreTime = false;
};

/// A task that has run.
struct TracedTask {
  std::uint32_t function = 0;
  std::uint32_t task = 0;
  ProcessorId processor;
  int lane = 0; ///< the first core it ran on; 0 on a device
  int cores = 1;
  Seconds start = 0, end = 0;
};

/// What became of it.
struct Outcome {
  /// When main ended; everything counts from when it began.
  Seconds makespan = 0;
  std::string stopped; ///< why the program could not go on, or empty
  std::uint64_t tasks = 0;
  struct ClassUse {
    ClassId which;
    std::uint64_t tasks = 0;
    double busy = 0; ///< seconds of cores, or of whole devices
  };
  std::vector<ClassUse> classes; ///< by ClassId
  std::uint64_t bytesBetweenNodes = 0, bytesToDevices = 0, bytesFromDevices = 0, evictions = 0;
  std::uint64_t events = 0;
  Seconds assignTime = 0; ///< real time that the assignment took for all tasks
  std::vector<TracedTask> trace;
};

/// Runs the program. Errors: a task that can run nowhere.
Result<Outcome> simulate(const Cluster &cluster, const Program &program, const RunSetup &setup);

} // namespace streamap::simulate
