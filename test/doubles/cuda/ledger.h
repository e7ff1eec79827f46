// The CUDA double: device memory that several processes share.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace doubles {

/// How many bytes of each device all processes use. Without a file it is the process's own. Processes of one run give one file,
/// new for the run: what a killed process had stays counted, where a real driver would take it back.
class MemoryLedger {
public:
  /// \p path may be empty. Throws std::runtime_error.
  MemoryLedger(const std::string &path, std::size_t devices);
  ~MemoryLedger();
  MemoryLedger(const MemoryLedger &) = delete;
  MemoryLedger &operator=(const MemoryLedger &) = delete;

  /// Takes \p bytes of the device at \p position unless more than \p limit would be in use then.
  bool take(std::size_t position, std::uint64_t bytes, std::uint64_t limit);
  void giveBack(std::size_t position, std::uint64_t bytes);
  std::uint64_t used(std::size_t position) const;

private:
  std::uint64_t *used_ = nullptr; ///< mapped; reached by atomic operations
  std::size_t bytes_ = 0;
};

} // namespace doubles
