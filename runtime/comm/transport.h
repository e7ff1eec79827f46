// StreamMAP runtime: how ranks reach each other.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One ordered stream of messages for each pair of ranks, and transfers of bytes beside it. A transfer's pieces are announced in
// the stream, small ones carry their bytes along.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "comm/messages.h"
#include "exec/orders.h"

namespace streamap {

/// What a transport asks and tells. Called from the transport's own thread, never while a post() is being made.
class TransportClient {
public:
  virtual ~TransportClient() = default;

  /// A message other than Bytes and Chunk.
  virtual void onMessage(Rank from, MessageKind kind, WireReader body) = 0;

  /// Where the run's bytes are on this rank, to be written. Null: there is no place for them, and the client has said so.
  virtual std::byte *place(ByteRun run) = 0;
  /// Where the run's bytes are on this rank, to be read.
  virtual const std::byte *source(ByteRun run) = 0;

  /// A piece is about to leave: takes out what the receiver already has.
  virtual void beforeDeparture(const SendOrder &order, std::vector<ByteRun> &piece) = 0;
  /// All pieces have been read: their bytes may change.
  virtual void onDeparted(const SendOrder &order) = 0;
  /// The bytes of a piece are in their place.
  virtual void onPiece(const PieceHeader &piece, Rank from) = 0;
  /// All bytes of a transfer are in their place.
  virtual void onArrived(EventId transfer) = 0;

  /// Whether something is expected soon, so that looking more often pays.
  virtual bool expecting() = 0;
  /// Called now and then, at least every few milliseconds.
  virtual void onTick() = 0;
  /// The transport cannot go on.
  virtual void onBroken(const std::string &what) = 0;
};

/// Thread-safe.
class Transport {
public:
  virtual ~Transport() = default;

  /// Appends a message to the stream to another rank. It leaves with the next flush, or when there is enough for a frame.
  virtual void post(Rank to, MessageKind kind, std::span<const std::byte> body) = 0;
  /// What has been posted to `to` leaves now.
  virtual void flush(Rank to) = 0;
  /// The same for all ranks.
  virtual void flush() = 0;

  /// Sends bytes of this rank to another; returns at once. See TransportClient for what follows.
  virtual void transfer(SendOrder order) = 0;

  /// Waits until everything posted and transferred so far has left. False after `seconds`.
  virtual bool drain(double seconds) = 0;
};

} // namespace streamap
