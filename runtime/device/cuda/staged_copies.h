// StreamMAP runtime: copies between a device and host memory that is not pinned.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Left to the driver, such a copy is not asynchronous: to a device it takes the bytes at the call, from a device it keeps the
// caller waiting. So it goes in pieces through pinned memory: the device copies between pinned memory and its own, and a host
// function in a second stream between pinned memory and the user's. While one piece is on its way on one side, its neighbour is
// on the other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>

#include "device/cuda/driver.h"
#include "device/cuda/pinned_ranges.h"
#include "device/device.h"

namespace streamap::cuda {

/// A rectangle of bytes of a copy.
struct CopyPiece {
  std::uint64_t hostOffset = 0, deviceOffset = 0; ///< from the copy's first byte on that side
  std::uint64_t width = 0, rows = 1;
};

/// Cuts a copy into pieces of at most \p largest bytes: whole rows where they fit, parts of a row otherwise. In order, and
/// without gaps.
/// \p hostPitch and \p devicePitch: from one row to the next.
std::vector<CopyPiece> cutCopy(std::uint64_t width, std::uint64_t rows, std::uint64_t hostPitch, std::uint64_t devicePitch,
                               std::uint64_t largest);

/// The pinned memory and the second stream of one queue. Its context is current to whoever calls. Not thread-safe.
class StagedCopies {
public:
  /// \p stream is the queue's. Nothing is made before the first copy. \p pieceBytes: of one piece; three are held.
  StagedCopies(const Driver &driver, CUstream stream, std::size_t pieceBytes);
  /// Frees nothing of the driver's: see release().
  ~StagedCopies();
  StagedCopies(const StagedCopies &) = delete;
  StagedCopies &operator=(const StagedCopies &) = delete;

  /// Gives everything back. All work of the queue has ended, or the context is broken. Where the context cannot even be made
  /// current, its end does it.
  void release();

  /// Queues the copy behind what is in the stream; what comes later in the stream is behind the copy.
  DeviceResult<void> toDevice(CUdeviceptr to, const void *from, const CopyShape &shape);
  DeviceResult<void> toHost(void *to, CUdeviceptr from, const CopyShape &shape);

private:
  /// Pinned memory for a piece.
  struct Slot {
    void *memory = nullptr;
    CUevent filled = nullptr, emptied = nullptr;
    bool used = false;
  };
  /// What a host function does. Lives until it has been done.
  struct HostCopy {
    char *to = nullptr;
    const char *from = nullptr;
    std::uint64_t width = 0, rows = 0, toPitch = 0, fromPitch = 0;
    std::atomic<bool> done{false};
  };

  DeviceResult<void> prepare();
  DeviceResult<void> follow(CUstream behind, CUevent event, CUstream first);
  DeviceResult<void> queueHostCopy(char *to, std::uint64_t toPitch, const char *from, std::uint64_t fromPitch,
                                   const CopyPiece &piece);
  DeviceResult<void> pieceToDevice(Slot &slot, CUdeviceptr to, const char *from, const CopyShape &shape, const CopyPiece &piece);
  DeviceResult<void> pieceToHost(Slot &slot, char *to, CUdeviceptr from, const CopyShape &shape, const CopyPiece &piece);
  template <class Piece>
  DeviceResult<void> run(const CopyShape &shape, std::uint64_t hostPitch, std::uint64_t devicePitch, Piece piece);
  static void runHostCopy(void *data);
  static void keepForEver(std::unique_ptr<HostCopy> copy);

  const Driver &driver_;
  const CUstream stream_;
  const std::size_t pieceBytes_;
  CUstream hostStream_ = nullptr;
  CUevent order_ = nullptr; ///< joins the two streams at the start of a copy
  std::array<Slot, 3> slots_;
  std::size_t next_ = 0;
  std::deque<std::unique_ptr<HostCopy>> hostCopies_;
};

} // namespace streamap::cuda
