// StreamMAP runtime: ranks that reach each other through MPI.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "comm/doorbell.h"
#include "comm/transport.h"
#include "observe/counters.h"

namespace streamap {

/// How to wake the ranks.
struct Bells {
  std::unique_ptr<Doorbell> own;
  std::vector<std::unique_ptr<RemoteDoorbell>> others; ///< by rank; null: on another machine, or this rank itself
};

/// One thread makes all MPI calls between start() and stop(), so MPI_THREAD_SERIALIZED is enough. It looks closely while there is
/// traffic, yields, and then sleeps until this rank has something to send or a rank of this machine rings; for what comes from
/// other machines it looks every half millisecond, or more often when something is expected.
class MpiTransport final : public Transport {
public:
  /// \p orders and \p data are communicators of StreamMAP's own with the same ranks, and return errors. \p spins: this machine
  /// has a core to spare for looking without a pause.
  MpiTransport(MPI_Comm orders, MPI_Comm data, Bells bells, Counters &counters, bool spins);
  ~MpiTransport() override;

  /// Starts the thread. The client outlives stop().
  void start(TransportClient &client);
  /// Ends it, when nobody sends to this rank any more and drain() has said that nothing is left to send.
  void stop();
  /// Wakes the thread, so that it calls the client's onTick().
  void poke();

  void post(Rank to, MessageKind kind, std::span<const std::byte> body) override;
  void flush(Rank to) override;
  void flush() override;
  void transfer(SendOrder order) override;
  bool drain(double seconds) override;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace streamap
