// StreamMAP runtime: a thread on which task bodies run.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include <functional>
#include <string>

namespace streamap {

/// A thread with a stack as large as main's, since a body may need what it has in the serial program. It handles no signals but
/// those it raises itself.
class SlotThread {
public:
  /// \p name is cut to 15 characters, as the system shows it. Ends the process when there are no threads left.
  SlotThread(std::string name, std::function<void()> work);
  SlotThread(SlotThread &&) noexcept = default;
  SlotThread &operator=(SlotThread &&) noexcept = default;

  /// Exactly one of the two, once.
  void join();
  void detach();

private:
  pthread_t thread_{};
};

} // namespace streamap
