// StreamMAP runtime: what ranks say to each other.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/wire.h"
#include "exec/orders.h"
#include "observe/counters.h"
#include "observe/task_trace.h"

namespace streamap {

enum class MessageKind : std::uint8_t {
  // the head to a rank
  Run,
  Send,
  Notify,
  Forget,
  Discard,
  Module, ///< a library with tasks that the program has loaded since the start
  Locale, ///< the program's locale has changed
  Stop,   ///< finish what runs, say farewell
  Leave,  ///< nobody sends any more: end
  // a rank to another
  Happened,
  Bytes, ///< a piece of a transfer, with its bytes
  Chunk, ///< a piece of a transfer whose bytes come beside the stream
  // a rank to the head
  Completions,
  Failed,
  Farewell ///< the rank's counters and trace
};

/// What goes in front of a piece of a transfer.
struct PieceHeader {
  EventId transfer;
  Version version;
  bool last = false;     ///< no piece follows
  std::uint32_t tag = 0; ///< Chunk: the MPI tag of its bytes
  std::vector<ByteRun> runs;
};

/// What a rank leaves behind.
struct Farewell {
  CounterValues counters{};
  std::vector<TaskRecord> trace;
};

// Each encode appends a message's body; the decode of the same name takes it back. A reader that is not ok afterwards means that
// the two ends do not run the same code.

/// Tasks of one launch follow each other: the pack is sent with the first, and left out where `sharesPack`.
void encodeRun(WireWriter &out, const RunOrder &order, bool sharesPack);
/// \p pack is that of the previous order on this stream, and becomes that of this one. A new one's `task` is still null.
RunOrder decodeRun(WireReader &in, std::shared_ptr<LaunchPack> &pack);

void encodeSend(WireWriter &out, const SendOrder &order);
SendOrder decodeSend(WireReader &in);

void encodeDiscard(WireWriter &out, const DiscardOrder &order);
DiscardOrder decodeDiscard(WireReader &in);

void encodePiece(WireWriter &out, const PieceHeader &piece);
PieceHeader decodePiece(WireReader &in);

void encodeFailure(WireWriter &out, const Failure &failure);
Failure decodeFailure(WireReader &in);

void encodeFarewell(WireWriter &out, const Farewell &farewell);
Farewell decodeFarewell(WireReader &in);

} // namespace streamap
