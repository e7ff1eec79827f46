// StreamMAP runtime: ranks that reach each other through MPI.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <memory>

#include "comm/transport.h"
#include "observe/counters.h"

namespace streamap {

/// One thread makes all MPI calls between start() and stop(), so MPI_THREAD_SERIALIZED is enough. It looks closely while there is
/// traffic, yields, and then sleeps for up to half a millisecond at a time, or until this rank has something to send.
class MpiTransport final : public Transport {
public:
  /// \p orders and \p data are communicators of StreamMAP's own with the same ranks, and return errors. \p spins: this machine
  /// has a core to spare for looking without a pause.
  MpiTransport(MPI_Comm orders, MPI_Comm data, Counters &counters, bool spins);
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
