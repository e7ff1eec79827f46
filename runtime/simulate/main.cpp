// StreamMAP simulator: the program streamap-sim.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <cstdio>
#include <iostream>

#include "simulate/command_line.h"
#include "simulate/curve.h"
#include "simulate/generate.h"
#include "simulate/recorded.h"
#include "simulate/report.h"

using namespace streamap;
using namespace streamap::simulate;

namespace {

/// Exit codes: 0, all is well; 1, something could not be read, run or written, or a simulated program stopped; 2, the command
/// line.
constexpr int wrongInput = 1, wrongCall = 2;

int complain(const Error &error, int code) {
  std::cerr << "streamap-sim: " << error.message << "\n";
  if (!error.hint.empty())
    std::cerr << "streamap-sim: hint: " << error.hint << "\n";
  return code;
}

int printCurve(const Request &request) {
  for (const Policy *const policy : request.policies) {
    std::cout << policy->name() << "\n   nodes  us/task\n";
    for (const CurvePoint &point : assignmentCurve(*policy, 10'000, 40'000))
      std::printf("%8d %8.2f\n", point.nodes, point.microseconds);
    std::fflush(stdout);
  }
  return 0;
}

int compare(const Request &request) {
  const auto program = request.graph.empty() ? generate(request.generate) : readRecorded(request.graph);
  if (!program)
    return complain(program.error(), wrongInput);
  Comparison comparison{request.cluster, *program, bounds(*program, request.cluster.resources()), {}};
  bool stopped = false;
  for (const Policy *const policy : request.policies) {
    RunSetup setup = request.setup;
    setup.placement.policy = policy;
    setup.trace = !request.trace.empty() && comparison.runs.empty();
    const auto begin = std::chrono::steady_clock::now();
    auto outcome = simulate::simulate(request.cluster, *program, setup);
    if (!outcome)
      return complain(outcome.error(), wrongInput);
    stopped = stopped || !outcome->stopped.empty();
    if (setup.trace)
      if (auto written = writeTrace(request.trace, request.cluster, *program, *outcome); !written)
        return complain(written.error(), wrongInput);
    comparison.runs.push_back({std::string(policy->name()), std::move(*outcome),
                               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()});
  }
  (request.json ? printJson : printTable)(std::cout, comparison);
  return stopped ? wrongInput : 0;
}

} // namespace

int main(int argc, char **argv) {
  const auto request = readCommandLine(argc, argv);
  if (!request)
    return complain(request.error(), wrongCall);
  switch (request->what) {
  case Request::What::Help:
    std::cout << usage();
    return 0;
  case Request::What::Curve:
    return printCurve(*request);
  case Request::What::Run:
    return compare(*request);
  }
}
