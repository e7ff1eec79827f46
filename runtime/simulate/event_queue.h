// StreamMAP simulator: what happens when.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "assign/resources.h"

namespace streamap::simulate {

enum class EventKind : std::uint8_t {
  MainGoesOn,
  OrderArrives,    ///< subject: a task, at its rank
  NewsArrives,     ///< subject: a task, whose rank is told that a predecessor elsewhere has ended
  TransferArrives, ///< subject: a transfer
  DataIsThere,     ///< subject: a task, whose processor has all that it reads
  BodyEnds,        ///< subject: a task
  HeadHears,       ///< subject: a task that has ended
  Breaks           ///< subject: Cluster::breakages
};

struct Event {
  Seconds at = 0;
  std::uint64_t number = 0; ///< events at one time happen in the order in which they were foreseen
  EventKind kind = EventKind::MainGoesOn;
  std::uint32_t subject = 0;
  std::uint32_t life = 0; ///< of the task: an event of an earlier life is void
};

/// Events in the order of time. Deterministic.
class EventQueue {
public:
  void add(Seconds at, EventKind kind, std::uint32_t subject, std::uint32_t life = 0) {
    events.push({at, ++last, kind, subject, life});
  }
  bool empty() const { return events.empty(); }
  Event take() {
    const Event next = events.top();
    events.pop();
    return next;
  }
  /// Events that have been foreseen in all.
  std::uint64_t count() const { return last; }

private:
  struct Later {
    bool operator()(const Event &a, const Event &b) const { return a.at != b.at ? a.at > b.at : a.number > b.number; }
  };
  std::priority_queue<Event, std::vector<Event>, Later> events;
  std::uint64_t last = 0;
};

} // namespace streamap::simulate
