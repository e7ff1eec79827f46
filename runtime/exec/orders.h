// StreamMAP runtime: what the head tells a rank to do, and what a rank tells the head.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank needs no picture of the graph. It gets orders, each with the events that must have happened before, and it carries an
// order out as soon as they have. Orders travel from the head to one rank in the order in which they are given; data and
// notifications travel from rank to rank and may overtake orders, so a rank keeps events that nobody has asked for yet.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "streamap/abi.h"

namespace streamap {

/// Names a task descriptor on every rank, whatever its address there.
struct DescriptorKey {
  std::uint64_t module = 0; ///< hash of the module (executable or library) that registered it
  std::uint32_t index = 0;  ///< its place among the module's tasks
  friend constexpr auto operator<=>(DescriptorKey, DescriptorKey) = default;
};

/// A reduction parameter of a task: the body adds to a partial of its own (a buffer at home, mirrored like any data) instead of
/// the target. The partial of block b lies b * stride bytes behind the first. Before the body runs block b, the rank fills that
/// partial with the operator's identity and sets the pack's pointer to (mirror of partials) + b * stride - offset.
struct ReductionPart {
  std::uint32_t param = 0;
  std::uint8_t op = 0;     ///< enum streamap_operator
  std::uint8_t scalar = 0; ///< enum streamap_scalar
  std::uint64_t elements = 0;
  std::uint64_t stride = 0; ///< bytes between partials
  HomeAddress partials = 0; ///< first byte of this task's first partial
  std::int64_t offset = 0;  ///< bytes from the address that the parameter holds to the first byte of its section
};

/// A task's share of its launch. The body runs once a block: block b covers [lo + b * blockLength, ...) clipped to hi.
struct TaskShape {
  std::int64_t index = 0, count = 1;
  std::int64_t lo = INT64_MIN, hi = INT64_MAX;
  std::int64_t blocks = 1;      ///< 1 without a floating-point reduction
  std::int64_t blockLength = 0; ///< indices; unused where blocks == 1
};

/// What all tasks of a launch share; one allocation a launch.
struct LaunchPack {
  DescriptorKey key;
  const streamap_task *task = nullptr; ///< on this rank; resolved from key on receipt
  std::uint64_t launch = 0;            ///< number of the launch, for messages and the trace
  std::uint32_t floatMode = 0;         ///< the launcher's floating-point control word (mxcsr; 0: leave alone)
  std::vector<std::byte> bytes;        ///< the argument pack, home addresses; an internal task's may be longer than pack_size
};

/// Run one task here.
struct RunOrder {
  EventId task;
  std::shared_ptr<const LaunchPack> pack;
  TaskShape shape;
  MemoryIndex memory = hostMemory;
  std::int32_t priority = 0;
  std::int32_t cores = 1;
  std::int32_t share = 100; ///< on a device: percent of it that the task takes
  std::vector<EventId> after;
  std::vector<ReductionPart> reductions;
  std::uint64_t bytesMoved = 0; ///< section bytes that had to travel for it, for the trace
  std::vector<Rank> notify;     ///< ranks to tell when it is done, known at the time of the order
  /// For a rank that has devices, empty for others: what the task reads and writes (sorted, disjoint), so that a C task finds it
  /// in the host's memory.
  std::vector<ByteRun> reads, writes;
};

/// Send bytes that this rank holds to a memory of another rank (or another memory of this one).
struct SendOrder {
  EventId transfer; ///< happens at the receiver when the bytes are in place
  MemoryIndex from = hostMemory;
  Place to;
  std::vector<EventId> after;
  std::vector<ByteRun> runs;
  Version version;
  /// Not zero: the receiver still has this older version, and the bytes at home may be the same. The head compares hashes when it
  /// sends, and leaves out the runs whose bytes have not changed.
  Version receiverHas;
};

/// Tell `to` when `task`, which runs here, is done (at once if it is).
struct NotifyOrder {
  EventId task;
  Rank to;
};

/// Nothing will refer to events below `below` any more.
struct ForgetOrder {
  EventId below;
};

/// The bytes hold nothing of value; their pages may be given back to the system. Nothing uses them when the order is given; the
/// head lets nothing use them before it has a Completion for `done` (data could overtake this order).
struct DiscardOrder {
  EventId done;
  std::vector<ByteRun> runs;
};

/// The head's rank has devices: the bytes must be in its host memory, main's, before the head has a Completion for `done`. Main
/// may change them then, so what devices have of them is worth nothing any more. No task uses them when the order is given.
struct SettleOrder {
  EventId done;
  std::vector<ByteRun> runs;
};

/// One finished task (or carried out DiscardOrder or SettleOrder), as the head hears of it.
struct Completion {
  EventId task;
  std::int32_t slot = 0;
  std::int64_t startNs = 0, endNs = 0; ///< on the cluster's common clock (offset agreed at start); its data was there at start
  MemoryIndex memory;                  ///< where it ran: not where it was ordered to, if that device was lost
};

/// A task, or a rank's own machinery, cannot go on.
struct Failure {
  EventId task; ///< happened (0) when no task is to blame
  Rank rank;
  std::string what; ///< "signal SIGSEGV at address 0x10", "it called exit(3)"
};

/// What the head learns. Called without any agent lock held, from the progress thread or a slot.
class HeadListener {
public:
  virtual ~HeadListener() = default;
  virtual void onCompletions(const std::vector<Completion> &done, Rank from) = 0;
  /// A transfer into home has arrived: its bytes are in the user's memory.
  virtual void onHomeArrival(EventId transfer) = 0;
  /// The bytes of a transfer that leaves home have been read, or hashes showed that nothing need be sent: main may overwrite them
  /// (`wait on` waits for this).
  virtual void onHomeDeparture(EventId transfer) = 0;
  virtual void onFailure(const Failure &failure) = 0;
};

} // namespace streamap
