// StreamMAP runtime: a rank's agent among the others.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comm/rank_link.h"

#include <clocale>

#include <cassert>

#include "abi/registry.h"
#include "comm/home_stamps.h"
#include "exec/openmp.h"
#include "exec/rank_memory.h"

namespace streamap {
namespace {

std::uint64_t total(const std::vector<ByteRun> &runs) {
  std::uint64_t bytes = 0;
  for (const ByteRun run : runs)
    bytes += run.bytes();
  return bytes;
}

} // namespace

RankLink::RankLink(LinkSetup setup) : setup_(std::move(setup)) {}

RankLink::~RankLink() = default;

// ---- From the agent
// -------------------------------------------------------------------------------------------------------------

void RankLink::transfer(SendOrder order) {
  setup_.transport->transfer(std::move(order));
}

void RankLink::tell(Rank to, EventId event) {
  WireWriter out;
  out.put(event);
  setup_.transport->post(to, MessageKind::Happened, out.bytes());
  setup_.transport->flush(to);
}

void RankLink::completed(const std::vector<Completion> &done) {
  if (isHead())
    return listener_->onCompletions(done, headRank);
  WireWriter out;
  out.putAll(done);
  setup_.transport->post(headRank, MessageKind::Completions, out.bytes());
  setup_.transport->flush(headRank);
}

void RankLink::reportSoon() {
  reportWanted_ = true;
}

void RankLink::failed(Failure failure) {
  if (isHead())
    return listener_->onFailure(failure);
  WireWriter out;
  encodeFailure(out, failure);
  setup_.transport->post(headRank, MessageKind::Failed, out.bytes());
  setup_.transport->flush(headRank);
}

// ---- From other ranks
// -----------------------------------------------------------------------------------------------------------

void RankLink::onMessage(Rank from, MessageKind kind, WireReader body) {
  switch (kind) {
  case MessageKind::Run:
    onRun(body);
    break;
  case MessageKind::Send:
    agent_->send(decodeSend(body));
    break;
  case MessageKind::Notify:
    agent_->notify(body.get<NotifyOrder>());
    break;
  case MessageKind::Forget:
    agent_->forget(body.get<ForgetOrder>());
    break;
  case MessageKind::Discard:
    agent_->discard(decodeDiscard(body));
    break;
  case MessageKind::Module:
    onModule(body);
    break;
  case MessageKind::Locale:
    std::setlocale(LC_ALL, body.getText().c_str());
    break;
  case MessageKind::Stop:
    setup_.events.stop(body.get<std::uint8_t>() != 0);
    break;
  case MessageKind::Leave:
    setup_.events.leave();
    break;
  case MessageKind::Happened:
    agent_->happen(body.get<EventId>());
    break;
  case MessageKind::Completions: {
    const auto done = body.getAll<Completion>();
    expect(-static_cast<std::int64_t>(done.size()));
    listener_->onCompletions(done, from);
    break;
  }
  case MessageKind::Failed:
    listener_->onFailure(decodeFailure(body));
    break;
  case MessageKind::Farewell:
    setup_.events.farewell(from, decodeFarewell(body));
    break;
  case MessageKind::Bytes:
  case MessageKind::Chunk:
    assert(false && "the transport's own");
    break;
  }
  assert(body.ok() && "both ends run the same code");
}

void RankLink::onRun(WireReader &body) {
  RunOrder order = decodeRun(body, lastPack_);
  if (!lastPack_->task)
    lastPack_->task = findTask(lastPack_->key);
  if (!lastPack_->task)
    return failed({order.task, setup_.self, "its code is not loaded here"});
  agent_->run(std::move(order));
}

void RankLink::onModule(WireReader &body) {
  const auto hash = body.get<std::uint64_t>();
  const std::string path = body.getText();
  if (auto loaded = setup_.events.loadModule(hash, path); !loaded)
    failed({happened, setup_.self, loaded.error().message});
  findOpenMp();
}

// ---- Bytes
// ----------------------------------------------------------------------------------------------------------------------

std::byte *RankLink::place(ByteRun run) {
  if (auto prepared = setup_.mirror->prepare(run); !prepared) {
    failed({happened, setup_.self, prepared.error().message});
    return nullptr;
  }
  if (setup_.memory)
    setup_.memory->hostChanges({&run, 1});
  return setup_.mirror->at(run.lo);
}

const std::byte *RankLink::source(ByteRun run) {
  return setup_.mirror->at(run.lo);
}

void RankLink::beforeDeparture(const SendOrder &order, std::vector<ByteRun> &piece) {
  if (isHead()) {
    setup_.counters->add(Counter::SectionUnchanged, stampDeparture(*setup_.stamps, order, piece));
    setup_.counters->add(Counter::SectionFromHome, total(piece));
  } else if (order.to.rank != headRank) {
    setup_.counters->add(Counter::SectionBetween, total(piece));
  }
}

void RankLink::onDeparted(const SendOrder &order) {
  if (isHead())
    listener_->onHomeDeparture(order.transfer);
}

void RankLink::onPiece(const PieceHeader &piece, Rank) {
  if (!isHead())
    return;
  setup_.counters->add(Counter::SectionIntoHome, total(piece.runs));
  stampArrival(*setup_.stamps, piece.version, piece.runs);
}

void RankLink::onArrived(EventId transfer) {
  if (isHead()) {
    expect(-1);
    listener_->onHomeArrival(transfer);
  }
  agent_->happen(transfer);
}

bool RankLink::expecting() {
  return expected_.load(std::memory_order_relaxed) > 0 || agent_->waiting() > 0;
}

void RankLink::onTick() {
  if (reportWanted_.exchange(false))
    agent_->reportCompletions();
  if (setup_.events.tick)
    setup_.events.tick();
}

void RankLink::onBroken(const std::string &what) {
  setup_.events.broken(what);
}

} // namespace streamap
