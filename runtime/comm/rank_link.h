// StreamMAP runtime: a rank's agent among the others.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/transport.h"
#include "exec/rank_agent.h"

namespace streamap {

class RankMemory;
class StampTable;

/// What happens to a rank beyond tasks and data. Each is called from the transport's thread and must not block.
struct LinkEvents {
  std::function<void(bool failed)> stop; ///< a worker: the head wants to end; failed: without waiting for running tasks
  std::function<void()> leave;           ///< a worker: nobody sends any more
  std::function<void(Rank from, Farewell farewell)> farewell; ///< the head: a worker has nothing more to send
  std::function<Result<void>(std::uint64_t hash, const std::string &path)> loadModule; ///< a worker
  std::function<void(const std::string &what)> broken;                                 ///< no more messages, ever
  std::function<void()> tick;                                                          ///< every few milliseconds
};

struct LinkSetup {
  Rank self;
  Transport *transport = nullptr;
  Mirror *mirror = nullptr;
  RankMemory *memory = nullptr; ///< null: the rank has no devices
  Counters *counters = nullptr;
  StampTable *stamps = nullptr; ///< on the head only
  LinkEvents events;
};

/// Between a RankAgent and the Transport: what the agent wants done elsewhere goes out as messages, and messages become calls of
/// the agent, or on the head of the HeadListener. Thread-safe.
class RankLink final : public AgentOutlet, public TransportClient {
public:
  explicit RankLink(LinkSetup setup);
  ~RankLink() override;

  /// Once, before the transport is started and an order given. \p listener: on the head only.
  void connect(RankAgent &agent, HeadListener *listener) {
    agent_ = &agent;
    listener_ = listener;
  }
  /// The head has given an order to another rank that ends with `count` completions or arrivals.
  void expect(std::int64_t count) { expected_.fetch_add(count, std::memory_order_relaxed); }

  void transfer(SendOrder order) override;
  void tell(Rank to, EventId event) override;
  void completed(const std::vector<Completion> &done) override;
  void reportSoon() override;
  void failed(Failure failure) override;

  void onMessage(Rank from, MessageKind kind, WireReader body) override;
  std::byte *place(ByteRun run) override;
  const std::byte *source(ByteRun run) override;
  void beforeDeparture(const SendOrder &order, std::vector<ByteRun> &piece) override;
  void onDeparted(const SendOrder &order) override;
  void onPiece(const PieceHeader &piece, Rank from) override;
  void onArrived(EventId transfer) override;
  bool expecting() override;
  void onTick() override;
  void onBroken(const std::string &what) override;

private:
  bool isHead() const { return setup_.self == headRank; }
  void onRun(WireReader &body);
  void onModule(WireReader &body);

  LinkSetup setup_;
  RankAgent *agent_ = nullptr;
  HeadListener *listener_ = nullptr;
  std::shared_ptr<LaunchPack> lastPack_; ///< of the stream from the head
  std::atomic<std::int64_t> expected_{0};
  std::atomic<bool> reportWanted_{false};
};

} // namespace streamap
