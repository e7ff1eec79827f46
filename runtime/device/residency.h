// StreamMAP runtime: which bytes of home lie where on one rank, when it has devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the head a rank is one place. Within the rank, the bytes of that place are in the host's memory, in device memory, or in
// both. Device memory is taken in segments: a segment holds one stretch of home's addresses, with distances as at home, so that a
// kernel finds everything that a task names through one pointer. Stretches may overlap (halos); then a byte can be in several
// segments.
//
// This is the bookkeeping alone: no device, no clock, no threads. Tasks that touch the same bytes never run at the same time
// unless all read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/inline_vector.h"
#include "base/interval_map.h"
#include "base/run_set.h"
#include "device/device_ids.h"

namespace streamap {

/// A stretch of device memory; 0 is the host's memory.
using SegmentId = StrongId<struct SegmentTag, std::uint32_t>;
inline constexpr SegmentId onHost{0};

struct Segment {
  int device = 0;        ///< this rank's number of it
  ByteRun run;           ///< what it may hold
  DevicePointer address; ///< of run.lo
  DevicePointer block;   ///< what the allocator gave
  std::uint64_t lastUse = 0;
  std::uint32_t pins = 0; ///< tasks and copies that use it now
  /// Where a byte of its run lies.
  DevicePointer at(HomeAddress byte) const { return DevicePointer{address.value + (byte - run.lo)}; }
};

/// Not thread-safe.
class Residency {
public:
  /// Nothing is on a device: the host has everything.
  bool empty() const { return pieces_.empty(); }

  // ---- Segments
  // ---------------------------------------------------------------------------------------------------------------------
  SegmentId add(int device, ByteRun run, DevicePointer address, DevicePointer block);
  const Segment &operator[](SegmentId id) const { return segments_.at(id.value); }
  /// A segment on the device that can hold the run: the one that holds most of it already, then the smallest, then the oldest.
  std::optional<SegmentId> covering(int device, ByteRun run) const;
  void pin(SegmentId id);
  void unpin(SegmentId id);
  /// Forgets a segment without pins that nobody needs: whatever it holds is elsewhere, too.
  void remove(SegmentId id);
  /// Forgets all segments of a device, with everything that only they hold: those runs are given, and count as the host's.
  RunSet removeAll(int device);
  /// Whether some segment of the device other than those given has pins.
  bool anyPinned(int device, std::span<const SegmentId> besides) const;
  std::size_t segments() const { return segments_.size(); }
  template <class Visit> void forEachSegment(Visit visit) const {
    for (const auto &[id, segment] : segments_)
      visit(SegmentId{id}, segment);
  }

  // ---- Bytes
  // ------------------------------------------------------------------------------------------------------------------------
  bool holds(SegmentId id, ByteRun run) const;
  /// The parts of \p runs that \p id, or the host, does not hold.
  RunSet missing(SegmentId id, std::span<const ByteRun> runs) const;
  /// What is to be read from where so that \p id, or the host, holds all of \p runs: each missing part once, with the best holder
  /// for a reader on that device (-1: the host): a segment of the same device, the host, another device's segment.
  struct Source {
    ByteRun run;
    SegmentId from;
  };
  std::vector<Source> sources(SegmentId id, std::span<const ByteRun> runs) const;
  /// A copy has made \p id, or the host, one more holder.
  void copied(SegmentId to, ByteRun run);
  /// A task has written: nobody else holds it any more.
  void wrote(SegmentId by, ByteRun run);
  /// The host has it, or has something newer; whatever devices hold is of no value.
  void hostOnly(ByteRun run) { wrote(onHost, run); }

  // ---- Making room
  // ------------------------------------------------------------------------------------------------------------------
  struct Victim {
    SegmentId id;
    RunSet onlyThere; ///< must be copied to the host first
  };
  /// The segment of the device to go next, if one has no pins: first those whose bytes are all elsewhere, then the least recently
  /// used.
  std::optional<Victim> victim(int device) const;

  /// Pieces kept now, for tests.
  std::size_t pieces() const { return pieces_.size(); }

private:
  /// Who holds a piece: never nobody.
  struct Holders {
    InlineVector<SegmentId, 2> ids;
    Holders() { ids.push_back(onHost); }
    bool has(SegmentId id) const {
      for (const SegmentId holder : ids)
        if (holder == id)
          return true;
      return false;
    }
    bool isHostOnly() const { return ids.size() == 1 && ids[0] == onHost; }
    friend bool operator==(const Holders &a, const Holders &b) { return a.ids == b.ids; }
  };

  int deviceOf(SegmentId id) const { return id == onHost ? -1 : segments_.at(id.value).device; }
  SegmentId best(const Holders &holders, int device) const;
  std::uint64_t heldBytes(SegmentId id, ByteRun run) const;
  RunSet onlyIn(SegmentId id, const Segment &segment) const;
  void tidy(ByteRun run);

  IntervalMap<Holders> pieces_; ///< what is in no piece is on the host alone
  std::map<std::uint32_t, Segment> segments_;
  std::uint32_t lastId_ = 0;
  std::uint64_t uses_ = 0;
};

} // namespace streamap
