// StreamMAP runtime: the head's record of events that may not have happened yet.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace streamap {

struct Task;

/// Hands out event numbers and knows which have happened: a window of consecutive numbers in a ring, whose lower end moves up as
/// the oldest events happen. Everything below the window has happened. Not thread-safe.
class EventLog {
public:
  struct Entry {
    Task *task = nullptr;  ///< the task itself; for a transfer, the one it is for; null once it has happened
    Rank sender{-1};       ///< of a transfer; -1: not a transfer
    bool departed = false; ///< a transfer's bytes have been read by the sender, if that is home
    bool isDone = false;
  };

  EventLog() : entries(1024) {}

  /// A new event.
  EventId add(Task *task, Rank sender = Rank{-1}) {
    if (end - lowest == entries.size())
      grow();
    slot(end) = {task, sender, false, false};
    return EventId{end++};
  }

  bool done(EventId event) const { return event.value < lowest || entries[event.value & (entries.size() - 1)].isDone; }

  /// Only for events that are not below low().
  Entry &operator[](EventId event) {
    assert(event.value >= lowest && event.value < end);
    return slot(event.value);
  }

  void setDone(EventId event) {
    Entry &entry = (*this)[event];
    entry.isDone = true;
    entry.task = nullptr;
    while (lowest < end && slot(lowest).isDone)
      ++lowest;
  }

  /// Everything below has happened.
  EventId low() const { return EventId{lowest}; }
  /// The number of the next event.
  EventId next() const { return EventId{end}; }
  /// Events from the first that has not happened: a measure of the memory that ranks spend on them.
  std::uint64_t window() const { return end - lowest; }

private:
  Entry &slot(std::uint64_t number) { return entries[number & (entries.size() - 1)]; }

  void grow() {
    std::vector<Entry> wider(entries.size() * 2);
    for (std::uint64_t number = lowest; number < end; ++number)
      wider[number & (wider.size() - 1)] = slot(number);
    entries.swap(wider);
  }

  std::vector<Entry> entries; ///< a power of two
  std::uint64_t lowest = 1, end = 1;
};

} // namespace streamap
