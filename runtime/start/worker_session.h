// StreamMAP runtime: a rank other than 0 while the program runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "start/cluster.h"

namespace streamap {

/// Serves the head until it says that the program has ended. Lives until the process ends.
class WorkerSession {
public:
  explicit WorkerSession(Membership member);
  ~WorkerSession();
  WorkerSession(const WorkerSession &) = delete;
  WorkerSession &operator=(const WorkerSession &) = delete;

  /// Called by main's thread. Ends the process.
  [[noreturn]] void serve();

  /// The task that the calling thread runs cannot go on. Does not return.
  [[noreturn]] void failCurrentTask(const std::string &what);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace streamap
