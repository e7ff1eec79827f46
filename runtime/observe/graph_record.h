// StreamMAP runtime: what main launched and waited for, for the simulator.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "graph/accesses.h"
#include "streamap/abi.h"

namespace streamap {

/// The calls of main, in order, in memory until the end. There is none unless STREAMAP_RECORD asks for it. Thread-safe.
class GraphRecord {
public:
  /// One task of a launch.
  struct Task {
    EventId id;
    std::uint8_t kind = STREAMAP_KIND_ANY; ///< enum streamap_kind
    std::int32_t cores = 1;
    std::int32_t share = 100;
    double cost = 0; ///< cost(e), 0: none
    Bytes memory;    ///< memory(e)
    std::vector<Access> accesses;
  };

  /// Main has called: what it did since the last call returned was its own.
  void enter();
  /// The call of main returns. Only the last one before the next enter() counts.
  void leave();

  /// The last call was a launch, of these tasks.
  void launched(const streamap_task &function, std::int32_t priority, std::vector<Task> tasks);
  /// It was a wait for everything, or for these bytes.
  void waited();
  void waited(std::span<const ByteRun> runs);
  /// Main has ended; tasks are completed.
  void ended();

  /// How long a task ran, and on which processor: "core", or a device's name. Empty: not known.
  struct Ran {
    std::string processor;
    double seconds = 0;
  };
  /// Writes the file that docs/simulator.md describes.
  Result<void> write(const std::string &path, const std::function<Ran(EventId)> &ran) const;

private:
  using Clock = std::chrono::steady_clock;
  struct Call {
    enum class Kind : std::uint8_t { Launch, WaitAll, WaitOn, End };
    Kind kind = Kind::Launch;
    double before = 0; ///< seconds that main spent on its own before it
    const streamap_task *function = nullptr;
    std::int32_t priority = 0;
    std::vector<Task> tasks;
    std::vector<ByteRun> runs;
  };
  void add(Call call);

  mutable std::mutex mutex;
  Clock::time_point returned = Clock::now();
  double before = 0;
  std::vector<Call> calls;
};

/// Notes which time is main's own: what passes between two such calls. For the time of one call of main into the runtime.
class RecordedCall {
public:
  /// \p record: null if nobody wants to know.
  explicit RecordedCall(GraphRecord *into) : record(into) {
    if (record)
      record->enter();
  }
  ~RecordedCall() {
    if (record)
      record->leave();
  }
  RecordedCall(const RecordedCall &) = delete;
  RecordedCall &operator=(const RecordedCall &) = delete;

private:
  GraphRecord *record;
};

} // namespace streamap
