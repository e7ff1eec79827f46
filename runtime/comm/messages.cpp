// StreamMAP runtime: what ranks say to each other.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comm/messages.h"

namespace streamap {

void encodeRun(WireWriter &out, const RunOrder &order, bool sharesPack) {
  out.put(static_cast<std::uint8_t>(sharesPack));
  if (!sharesPack) {
    const LaunchPack &pack = *order.pack;
    out.put(pack.key.module);
    out.put(pack.key.index);
    out.putPacked(pack.launch);
    out.put(pack.floatMode);
    out.putBytes(pack.bytes);
  }
  out.put(order.task);
  out.put(order.shape);
  out.put(order.memory);
  out.put(order.priority);
  out.put(order.cores);
  out.put(order.share);
  out.putAll(order.after);
  out.putAll(order.reductions);
  out.putPacked(order.bytesMoved);
  out.putAll(order.notify);
  out.putRuns(order.reads);
  out.putRuns(order.writes);
}

RunOrder decodeRun(WireReader &in, std::shared_ptr<LaunchPack> &pack) {
  if (!in.get<std::uint8_t>()) {
    pack = std::make_shared<LaunchPack>();
    pack->key.module = in.get<std::uint64_t>();
    pack->key.index = in.get<std::uint32_t>();
    pack->launch = in.getPacked();
    pack->floatMode = in.get<std::uint32_t>();
    const auto bytes = in.getBytes();
    pack->bytes.assign(bytes.begin(), bytes.end());
  }
  RunOrder order;
  order.pack = pack;
  order.task = in.get<EventId>();
  order.shape = in.get<TaskShape>();
  order.memory = in.get<MemoryIndex>();
  order.priority = in.get<std::int32_t>();
  order.cores = in.get<std::int32_t>();
  order.share = in.get<std::int32_t>();
  order.after = in.getAll<EventId>();
  order.reductions = in.getAll<ReductionPart>();
  order.bytesMoved = in.getPacked();
  order.notify = in.getAll<Rank>();
  order.reads = in.getRuns();
  order.writes = in.getRuns();
  return order;
}

void encodeSend(WireWriter &out, const SendOrder &order) {
  out.put(order.transfer);
  out.put(order.from);
  out.put(order.to);
  out.put(order.version);
  out.put(order.receiverHas);
  out.putAll(order.after);
  out.putRuns(order.runs);
}

SendOrder decodeSend(WireReader &in) {
  SendOrder order;
  order.transfer = in.get<EventId>();
  order.from = in.get<MemoryIndex>();
  order.to = in.get<Place>();
  order.version = in.get<Version>();
  order.receiverHas = in.get<Version>();
  order.after = in.getAll<EventId>();
  order.runs = in.getRuns();
  return order;
}

void encodeDiscard(WireWriter &out, const DiscardOrder &order) {
  out.put(order.done);
  out.putRuns(order.runs);
}

DiscardOrder decodeDiscard(WireReader &in) {
  DiscardOrder order;
  order.done = in.get<EventId>();
  order.runs = in.getRuns();
  return order;
}

void encodePiece(WireWriter &out, const PieceHeader &piece) {
  out.put(piece.transfer);
  out.put(piece.version);
  out.put(static_cast<std::uint8_t>(piece.last));
  out.put(piece.tag);
  out.putRuns(piece.runs);
}

PieceHeader decodePiece(WireReader &in) {
  PieceHeader piece;
  piece.transfer = in.get<EventId>();
  piece.version = in.get<Version>();
  piece.last = in.get<std::uint8_t>() != 0;
  piece.tag = in.get<std::uint32_t>();
  piece.runs = in.getRuns();
  return piece;
}

void encodeFailure(WireWriter &out, const Failure &failure) {
  out.put(failure.task);
  out.put(failure.rank);
  out.putText(failure.what);
}

Failure decodeFailure(WireReader &in) {
  Failure failure;
  failure.task = in.get<EventId>();
  failure.rank = in.get<Rank>();
  failure.what = in.getText();
  return failure;
}

void encodeFarewell(WireWriter &out, const Farewell &farewell) {
  out.put(farewell.counters);
  out.putAll(farewell.trace);
}

Farewell decodeFarewell(WireReader &in) {
  Farewell farewell;
  farewell.counters = in.get<CounterValues>();
  farewell.trace = in.getAll<TaskRecord>();
  return farewell;
}

} // namespace streamap
