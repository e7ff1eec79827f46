// StreamMAP runtime: what a rank counts.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace streamap {

/// Everything that is counted, in the order of counterNames.
enum class Counter : std::size_t {
  Tasks,            ///< tasks run here
  DeviceTasks,      ///< those of them that ran on a device
  Messages,         ///< orders, notifications, completions and small data sent, one each
  Frames,           ///< MPI messages that carried them
  Chunks,           ///< MPI messages with large data, sent
  BytesSent,        ///< all bytes given to MPI
  BytesReceived,    ///< all bytes taken from MPI
  SectionFromHome,  ///< bytes of sections sent out of home (head only)
  SectionIntoHome,  ///< bytes of sections that arrived at home (head only)
  SectionBetween,   ///< bytes of sections sent from this worker to another
  SectionUnchanged, ///< bytes of sections that were not sent, because hashes showed that the receiver has them (head only)
  Count
};

/// Names as they stand in the file that STREAMAP_COUNTERS names.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Counter::Count)> counterNames{
    "tasks",          "device_tasks",   "messages",        "frames",          "chunks",
    "bytes_sent",     "bytes_received", "from_home_bytes", "into_home_bytes", "between_workers_bytes",
    "unchanged_bytes"};

using CounterValues = std::array<std::uint64_t, static_cast<std::size_t>(Counter::Count)>;

/// The counters of one rank. Thread-safe; always on, since an uncontended addition costs nothing beside what it counts.
struct Counters {
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Counter::Count)> values{};

  void add(Counter counter, std::uint64_t amount = 1) {
    values[static_cast<std::size_t>(counter)].fetch_add(amount, std::memory_order_relaxed);
  }
  CounterValues read() const {
    CounterValues result{};
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = values[i].load(std::memory_order_relaxed);
    return result;
  }
};

} // namespace streamap
