// StreamMAP runtime: how a policy chooses among the processors that it is offered.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "assign/resources.h"

namespace streamap {

/// What a processor has been given. Units of work: cores, or percent of a device.
///
/// A *strand* is an unfinished task there that no other task placed there continues (depends on). Tasks of one chain never run at
/// the same time, so it is strands, not tasks, that compete.
struct Load {
  std::int32_t capacity = 0;  ///< units that run at a time: its cores, or 100
  std::int32_t lanes = 0;     ///< tasks that it works on at a time, if they take a core each
  std::int32_t ahead = 0;     ///< units from which on it is given nothing more
  std::int32_t given = 0;     ///< units of the unfinished tasks that it was given
  std::int32_t tasks = 0;     ///< these tasks
  std::int32_t strands = 0;   ///< those that compete
  std::int32_t competing = 0; ///< units of the strands
  std::int32_t nodeTasks = 0; ///< unfinished tasks of its node, on processors of its kind
  Bytes memory;               ///< Device: for tasks; 0 on cores: not counted
  Bytes reserved;             ///< Device: by the strands
  Bytes foreign;              ///< Device: by others than this program
  double outside = 0;         ///< part of its speed that others are known to use, 0 to 1
  double drag = 1;            ///< how many times longer than elsewhere in its class tasks took lately
  Seconds dragAt = 0;         ///< when that was seen
  bool hadAccident = false;   ///< its last run took many times longer than usual
  Seconds work = 0;           ///< estimated time of what it was given, as if it ran one after the other, on all its units
  Seconds freeAt = 0;         ///< when that should be done; 0: it has nothing
  std::uint64_t turn = 0;     ///< number of the last placement on it, 0: none yet
  bool healthy = true;

  bool open() const { return healthy && given < ahead; }
  double use() const { return capacity > 0 ? static_cast<double>(competing) / capacity : 0; }
  double strandsPerLane() const { return lanes > 0 ? static_cast<double>(strands) / lanes : 0; }
  /// Units that nobody uses, here or outside.
  std::int32_t freeUnits() const {
    const auto left = static_cast<std::int32_t>(capacity * (1 - outside)) - competing;
    return left > 0 ? left : 0;
  }
  Bytes freeMemory() const {
    const Bytes taken = reserved + foreign;
    return memory == Bytes{} ? Bytes{UINT64_MAX} : taken < memory ? memory - taken : Bytes{};
  }
};

/// One processor that may run the task, as a policy sees it.
struct Offer {
  ProcessorId processor;
  const Load *load = nullptr;
  std::int32_t units = 1;      ///< that the task takes there
  std::int32_t continues = 0;  ///< strands there that the task goes on with
  std::uint64_t bytesHere = 0; ///< of what it reads, in the processor's memory
  Seconds bringing = 0;        ///< how long it takes to bring the rest
  bool open = true;            ///< it would be given the task now; otherwise the task would wait until it has room
  bool fits = true;            ///< the task could start there now, or behind the task that it goes on with
  bool untried = false;        ///< nobody knows how long the task takes there, and nothing is being tried
  Seconds start = 0;           ///< not before its data is there, and the processor free
  Seconds finish = 0;          ///< start and the estimate

  /// Strands that the task would compete with, for each task that runs at a time.
  double rivals() const { return load->lanes > 0 ? static_cast<double>(load->strands - continues) / load->lanes : 0; }
};

/// Why a task went where it went: what decided against the next best.
enum class PlacementReason : std::uint8_t {
  OnlyOne,        ///< nobody else can
  Untried,        ///< to find out how long it takes there
  EarliestFinish, ///< eft
  FasterAreFull,  ///< eft: it would be done later where it runs faster, for all that waits for that
  StartsAtOnce,   ///< others would have to wait for memory or share
  FewestTasks,    ///< for what they can run at a time
  QuietestNode,   ///< spread
  NearestData,    ///< the least time to bring it
  MostUsed,       ///< binpack: others stay free
  NextInTurn,     ///< round-robin
  LowestNumber    ///< alike in all that counts
};

/// In words, for the trace and reports.
std::string_view describe(PlacementReason reason);

/// The order in which processors of a class are looked at: smaller first, then the lower number.
struct Rating {
  double first = 0, second = 0;
  friend constexpr auto operator<=>(const Rating &, const Rating &) = default;
};

/// A way to choose. Stateless: a pure function of what it is given.
class Policy {
public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;
  /// In one line, for people.
  virtual std::string_view meaning() const = 0;

  /// Among processors of one class that have nothing special to do with a task, the one with the lowest rating is offered.
  virtual Rating rating(const Load &load) const = 0;
  /// Whether a processor that has no room now is offered too: a task may be better off waiting for it.
  virtual bool waits() const { return false; }
  /// Whether, of processors alike, one where the task could start now is offered before one with a lower rating.
  virtual bool prefersFitting() const { return false; }

  /// Whether a task waits until it can start somewhere, rather than being given ahead.
  virtual bool onlyFitting() const { return false; }
  /// Whether a rating depends on what the node has on other processors.
  virtual bool ratesNodes() const { return false; }

  struct Verdict {
    int order = 0; ///< negative: the first is better; positive: the second; never 0 for two processors
    PlacementReason reason = PlacementReason::LowestNumber;
  };
  virtual Verdict compare(const Offer &a, const Offer &b) const = 0;

protected:
  /// Negative where \p a is smaller.
  template <class T> static int order(const T &a, const T &b) { return a < b ? -1 : (b < a ? 1 : 0); }
  static Verdict byNumber(const Offer &a, const Offer &b) {
    return {order(a.processor, b.processor), PlacementReason::LowestNumber};
  }
};

/// All policies, the default one first.
std::span<const Policy *const> policies();
/// The one of that name, or null.
const Policy *findPolicy(std::string_view name);
/// A table of all, for `help`.
std::string describePolicies();

} // namespace streamap
