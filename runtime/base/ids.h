// StreamMAP runtime: distinct types for distinct things.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace streamap {

/// A number that only mixes with its own kind. \p Tag names the kind; it need not be complete.
template <class Tag, class Value> struct StrongId {
  Value value{};
  constexpr StrongId() = default;
  constexpr explicit StrongId(Value v) : value(v) {}
  friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

/// A process of the cluster: its rank in StreamMAP's own communicator. Rank 0 is the head.
using Rank = StrongId<struct RankTag, int>;
inline constexpr Rank headRank{0};

/// A machine: processes with the same NodeId share memory.
using NodeId = StrongId<struct NodeTag, int>;

/// One memory of one rank. 0 is the host memory (on the head: the user's own data, "home"); devices follow.
using MemoryIndex = StrongId<struct MemoryTag, std::uint16_t>;
inline constexpr MemoryIndex hostMemory{0};

/// A memory anywhere in the cluster.
struct Place {
  Rank rank;
  MemoryIndex memory;
  friend constexpr auto operator<=>(Place, Place) = default;
};
inline constexpr Place home{headRank, hostMemory};

/// Something that happens once: a task finishes, or a transfer arrives. Both are numbered in one increasing sequence by the head,
/// so "everything below n has happened" can be said in one number. 0 has always happened.
using EventId = StrongId<struct EventTag, std::uint64_t>;
inline constexpr EventId happened{0};

/// Which contents a byte range has. Grows with every write that the head orders; never reused.
using Version = StrongId<struct VersionTag, std::uint64_t>;

/// An address in the head's (the launcher's) address space.
using HomeAddress = std::uint64_t;

/// Bytes [lo, hi) of the head's address space.
struct ByteRun {
  HomeAddress lo = 0;
  HomeAddress hi = 0;
  constexpr std::uint64_t bytes() const { return hi - lo; }
  friend constexpr auto operator<=>(ByteRun, ByteRun) = default;
};

} // namespace streamap

template <class Tag, class Value> struct std::hash<streamap::StrongId<Tag, Value>> {
  std::size_t operator()(streamap::StrongId<Tag, Value> id) const noexcept { return std::hash<Value>{}(id.value); }
};
