// StreamMAP runtime: waking a sleeping progress thread, in this process or another of the same machine.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI has no way to sleep until a message comes: it wants to be polled, and polling takes the core from whoever is waited for. A
// rank that has nothing to do sleeps on a word of shared memory, and whoever sends it something from the same machine rings
// there.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace streamap {

/// The shared word, as every process sees it.
struct BellWord {
  std::atomic<std::uint32_t> rings{0};
  std::atomic<std::uint32_t> asleep{0};
};

/// Rings a bell: cheap while its owner is awake. Any thread, any process.
void ringBell(BellWord &bell);

/// The bell of this process. One thread sleeps on it; any may ring it.
class Doorbell {
public:
  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell &) = delete;
  Doorbell &operator=(const Doorbell &) = delete;

  /// A file descriptor under which other processes find the word; -1 when they cannot.
  int handle() const { return handle_; }
  void ring() { ringBell(*word_); }

  /// From now on rings are heard by sleep(). What came before must be looked for after this call and before sleep().
  void lieDown();
  /// Sleeps until somebody rings, or has rung since lieDown(), or the time is up.
  void sleep(std::chrono::microseconds longest);
  /// Awake again.
  void getUp();

private:
  BellWord own_; ///< used when there is no shared memory
  BellWord *word_ = &own_;
  int handle_ = -1;
  std::uint32_t seen_ = 0;
};

/// The bell of another process of this machine.
class RemoteDoorbell {
public:
  /// Null when process `pid` does not let us see its descriptor `handle`.
  static std::unique_ptr<RemoteDoorbell> open(int pid, int handle);
  ~RemoteDoorbell();
  RemoteDoorbell(const RemoteDoorbell &) = delete;
  RemoteDoorbell &operator=(const RemoteDoorbell &) = delete;

  void ring() { ringBell(*word_); }

private:
  explicit RemoteDoorbell(BellWord *word) : word_(word) {}
  BellWord *word_;
};

} // namespace streamap
