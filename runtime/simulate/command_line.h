// StreamMAP simulator: what streamap-sim is asked.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "simulate/simulation.h"

namespace streamap::simulate {

struct Request {
  enum class What {
    Run,   ///< the program, under each policy
    Curve, ///< what assignment costs from 10 to 10,000 nodes
    Help
  };
  What what = What::Run;
  Cluster cluster;
  std::string graph;    ///< a recorded file, or empty
  std::string generate; ///< a generator with its parameters, or empty
  std::vector<const Policy *> policies;
  RunSetup setup;
  std::string trace; ///< a file for the first policy's trace, or empty
  bool json = false;
};

/// Errors say what is wrong with which option.
Result<Request> readCommandLine(int argc, char **argv);

/// All options, generators and policies.
std::string usage();

} // namespace streamap::simulate
