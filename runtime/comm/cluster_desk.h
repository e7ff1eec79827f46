// StreamMAP runtime: the head's desk, where orders go to this rank's agent or out as messages.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "comm/rank_link.h"
#include "comm/transport.h"
#include "exec/agent.h"

namespace streamap {

/// The OrderDesk of a cluster, on rank 0. Thread-safe.
class ClusterDesk final : public OrderDesk {
public:
  /// All three outlive the desk.
  ClusterDesk(Transport &transport, RankLink &link, RankAgent &agent, int ranks);

  void run(Rank rank, RunOrder order) override;
  void send(Rank rank, SendOrder order) override;
  void notify(Rank rank, NotifyOrder order) override;
  void forget(Rank rank, ForgetOrder order) override;
  void discard(Rank rank, DiscardOrder order) override;
  void settle(SettleOrder order) override;
  void flush() override;
  bool helpLocally() override;

private:
  /// What a rank has been told already.
  struct Told {
    std::mutex mutex; ///< keeps "told" and the stream in step
    std::shared_ptr<const LaunchPack> pack;
    std::vector<std::uint64_t> modules;
  };
  void tellOfModule(Rank rank, Told &told, DescriptorKey key);
  void tellOfLocale();

  Transport &transport_;
  RankLink &link_;
  RankAgent &agent_;
  std::vector<std::unique_ptr<Told>> told_;
  std::mutex localeMutex_;
  std::string locale_; ///< that the workers have
};

/// The OrderDesk of a single process: one agent, no messages.
class LocalDesk final : public OrderDesk {
public:
  explicit LocalDesk(RankAgent &agent) : agent_(agent) {}
  void run(Rank rank, RunOrder order) override;
  void send(Rank rank, SendOrder order) override;
  void notify(Rank rank, NotifyOrder order) override;
  void forget(Rank rank, ForgetOrder order) override;
  void discard(Rank rank, DiscardOrder order) override;
  void settle(SettleOrder order) override;
  void flush() override {}
  bool helpLocally() override;

private:
  RankAgent &agent_;
};

} // namespace streamap
