// The CUDA double: many stacks on one thread.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace doubles {

/// Where execution left off. The sanitizers are told of every change, so the double can be built with them.
struct FibreContext {
  void *stackPointer = nullptr;
  const void *stackBottom = nullptr;
  std::size_t stackBytes = 0;
  void *threadSanitizer = nullptr;
};

/// Stacks of one thread, used again and again. x86-64 only.
class FibreStacks {
public:
  FibreStacks() = default;
  ~FibreStacks();
  FibreStacks(const FibreStacks &) = delete;
  FibreStacks &operator=(const FibreStacks &) = delete;

  /// Makes stack \p index ready to run \p entry, which never returns.
  FibreContext &prepare(std::size_t index, void (*entry)());
  /// The stack that \p address lies in, or its inaccessible end: its number; stacks() if none.
  std::size_t find(const void *address) const;
  std::size_t stacks() const { return contexts_.size(); }
  /// Where a function that is called on this stack finds its return address: for who abandons what runs there.
  void *top(std::size_t index) const;

private:
  struct Mapping;
  char *stack(std::size_t index) const;
  std::vector<std::unique_ptr<FibreContext>> contexts_;
  std::vector<char *> mappings_; ///< of stacksPerMapping stacks each
};

/// Goes from \p from, which runs, to \p to. \p last: nothing will ever come back to \p from.
void switchFibre(FibreContext &from, FibreContext &to, bool last = false);
/// What the first function of a fibre calls before anything else; \p from has switched to it.
void fibreStarted(FibreContext &from);

} // namespace doubles
