// StreamMAP tests: several ranks in one process, each with its own agent, slots and memory, without MPI.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/cluster_desk.h"
#include "comm/rank_link.h"
#include "data/stamps.h"
#include "exec/rank_memory.h"
#include "head/head.h"
#include "observe/counters.h"

namespace streamap {

/// A Transport whose other end is in the same process: a thread a rank delivers what the others have sent. Messages stay where
/// they were posted until they are flushed, as with MPI.
class LoopTransport final : public Transport {
public:
  LoopTransport(std::vector<std::unique_ptr<LoopTransport>> &all, Rank self, int ranks)
      : all_(all), self_(self), posted_(ranks) {}

  void start(TransportClient &client);
  void stop();

  void post(Rank to, MessageKind kind, std::span<const std::byte> body) override;
  void flush(Rank to) override;
  void flush() override;
  void transfer(SendOrder order) override;
  bool drain(double) override { return true; }

private:
  struct Message {
    Rank from;
    MessageKind kind = MessageKind::Stop;
    std::vector<std::byte> body;
  };
  void deliver(std::deque<Message> messages);
  void send(const SendOrder &order);
  void receiveBytes(const Message &message);
  void run();

  std::vector<std::unique_ptr<LoopTransport>> &all_;
  const Rank self_;
  TransportClient *client_ = nullptr;
  std::mutex postMutex_;
  std::vector<std::deque<Message>> posted_; ///< by receiver
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> arrived_;
  std::deque<SendOrder> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

/// The whole rank side, real but for MPI: agents, slots, links, mirrors, hashes. Rank 0's desk is the desk that a Head is given.
class ThreadedCluster {
public:
  /// \p slots by rank, and the setting `devices` of each; those that are not given have none.
  explicit ThreadedCluster(const std::vector<int> &slots, const std::vector<std::string> &devices = {});
  ~ThreadedCluster();

  OrderDesk &desk() { return *desk_; }
  void start(Head &head);
  /// What a rank offers, for HeadSetup.
  std::vector<DeviceOffer> offers(int rank) const;
  /// A rank's devices, or null.
  RankMemory *memory(int rank) { return members_[static_cast<std::size_t>(rank)]->memory.get(); }
  /// Before the head is destroyed: nobody calls it afterwards.
  void stop();
  /// Sums over all ranks.
  CounterValues counters() const;

private:
  struct Member {
    Counters counters;
    std::unique_ptr<Mirror> mirror;
    std::unique_ptr<RankMemory> memory;
    std::unique_ptr<RankLink> link;
    std::unique_ptr<RankAgent> agent;
  };
  StampTable stamps_;
  std::vector<std::unique_ptr<LoopTransport>> transports_;
  std::vector<std::unique_ptr<Member>> members_;
  std::unique_ptr<ClusterDesk> desk_;
  bool started_ = false;
};

} // namespace streamap
