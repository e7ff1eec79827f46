// StreamMAP runtime: which events are known to have happened on this rank, and who waits for the others.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace streamap {

/// A ring over the events that are neither forgotten nor in the far future: four bytes an event, found by its number alone.
/// \p Waiter is what waits (a pointer or an index). Not thread-safe.
template <class Waiter> class EventTable {
public:
  EventTable() : ring_(initialCapacity, nothing) { links_.emplace_back(); }

  bool hasHappened(EventId event) const {
    return event.value < base_ || (event.value - base_ < ring_.size() && slot(event) == done);
  }

  /// Remembers that `waiter` waits for an event that has not happened. The last to wait is released first.
  void await(EventId event, Waiter waiter) {
    assert(!hasHappened(event));
    makeRoomFor(event);
    std::uint32_t link = freeLink_;
    if (link == nothing) {
      link = static_cast<std::uint32_t>(links_.size());
      links_.emplace_back();
    } else {
      freeLink_ = links_[link].next;
    }
    links_[link] = {waiter, slot(event)};
    slot(event) = link;
  }

  /// The event has happened: calls release(waiter) for each that waited, in the order in which they came. Telling it twice, or
  /// telling of a forgotten event, does nothing. `release` must not come back to this table.
  template <class Release> void happen(EventId event, Release &&release) {
    if (event.value < base_)
      return;
    makeRoomFor(event);
    std::uint32_t link = slot(event);
    if (link == done)
      return;
    slot(event) = done;
    std::uint32_t reversed = nothing;
    while (link != nothing) {
      const std::uint32_t next = links_[link].next;
      links_[link].next = reversed;
      reversed = link;
      link = next;
    }
    while (reversed != nothing) {
      const std::uint32_t next = links_[reversed].next;
      release(links_[reversed].waiter);
      links_[reversed].next = freeLink_;
      freeLink_ = reversed;
      reversed = next;
    }
  }

  /// Everything below `below` has happened, also what nobody has told here yet: the head hears of a task by another way than the
  /// ranks that it notifies. Calls release(waiter) as `happen` does.
  template <class Release> void forget(EventId below, Release &&release) {
    const std::uint64_t end = std::min(below.value, base_ + ring_.size());
    for (std::uint64_t value = base_; value < end; ++value) {
      happen(EventId{value}, release);
      slot(EventId{value}) = nothing;
    }
    base_ = std::max(base_, below.value);
  }

  /// Events that the ring can hold now, for tests.
  std::size_t capacity() const { return ring_.size(); }

private:
  static constexpr std::size_t initialCapacity = 1024;
  static constexpr std::uint32_t nothing = 0; ///< not happened, nobody waits
  static constexpr std::uint32_t done = ~std::uint32_t{0};
  struct Link {
    Waiter waiter{};
    std::uint32_t next = nothing;
  };

  std::uint32_t &slot(EventId event) { return ring_[event.value & (ring_.size() - 1)]; }
  std::uint32_t slot(EventId event) const { return ring_[event.value & (ring_.size() - 1)]; }

  void makeRoomFor(EventId event) {
    assert(event.value >= base_);
    if (event.value - base_ < ring_.size())
      return;
    std::size_t capacity = ring_.size();
    while (event.value - base_ >= capacity)
      capacity *= 2;
    std::vector<std::uint32_t> larger(capacity, nothing);
    for (std::uint64_t value = base_; value < base_ + ring_.size(); ++value)
      larger[value & (capacity - 1)] = slot(EventId{value});
    ring_.swap(larger);
  }

  std::uint64_t base_ = 1;          ///< all events below it have happened; `happened` is 0
  std::vector<std::uint32_t> ring_; ///< by event number modulo its size: nothing, done, or the first link of those that wait
  std::vector<Link> links_;         ///< link 0 is not used
  std::uint32_t freeLink_ = nothing;
};

} // namespace streamap
