// StreamMAP runtime: rank 0 while the program runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/settings.h"
#include "head/head.h"
#include "start/cluster.h"

namespace streamap {

/// The head with its agent, and with the other ranks if there are any. Lives until the process ends.
class HeadSession {
public:
  /// \p member: empty for a single process.
  HeadSession(Settings settings, std::optional<Membership> member);
  ~HeadSession();
  HeadSession(const HeadSession &) = delete;
  HeadSession &operator=(const HeadSession &) = delete;

  /// Completes everything, lets the other ranks go, and writes the files that were asked for. \p deadStack: see Head::finish.
  /// Does not return when the program has failed. The second call does nothing.
  void end(Ending how, HomeAddress deadStack = 0);

  /// The task that the calling thread runs cannot go on. Does not return.
  [[noreturn]] void failCurrentTask(const std::string &what);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace streamap
