// StreamMAP runtime: where bytes of home lie on this rank.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mirror is home plus an offset: home's address space is cut into arenas, and an arena that is touched is reserved here as a
// whole, so that distance, pitch, aliasing and alignment are as at home and nothing is allocated per section. The reservation
// takes no memory: pages come with the first write.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/ids.h"
#include "base/result.h"

namespace streamap {

/// Translates home addresses to addresses of this rank. Thread-safe; translation takes no lock.
class Mirror {
public:
  /// What a rank's host memory is to the program.
  enum class Kind {
    Home, ///< the user's own data: every address is itself
    Copy  ///< reserved arenas
  };

  /// Where address space is unlimited an arena has this size. Must be a power of two.
  static constexpr std::uint64_t largestArena = std::uint64_t{1} << 44; // 16 TiB
  static constexpr std::uint64_t smallestArena = std::uint64_t{1} << 28;
  /// Home addresses of programs are below this.
  static constexpr std::uint64_t addressLimit = std::uint64_t{1} << 47;

  /// \p firstTry: size of the arenas that are tried first, a power of two.
  explicit Mirror(Kind kind, std::uint64_t firstTry = defaultArena());
  ~Mirror();
  Mirror(const Mirror &) = delete;
  Mirror &operator=(const Mirror &) = delete;

  Kind kind() const { return kind_; }

  /// Makes the run's addresses usable. An error when there is no room for them, or when the run crosses the end of an arena that
  /// could not be made larger.
  Result<void> prepare(ByteRun run);

  /// The local address of a home address that lies in a prepared run, or one behind its end.
  std::byte *at(HomeAddress address) const;

  /// The local address of whatever address a pack holds. Null, and what cannot be an address, stay as they are; an address that
  /// was never prepared gets an arena if there is room.
  void *translate(const void *address);

  /// Gives the pages that lie wholly in the runs back to the system; they read as zero then. Does nothing at home.
  void discard(std::span<const ByteRun> runs);

  /// largestArena, or less under a sanitizer that keeps address space to itself.
  static std::uint64_t defaultArena();

private:
  struct Arena {
    HomeAddress lo = 0, hi = 0;
    std::byte *local = nullptr; ///< where lo is
    void *reserved = nullptr;   ///< what mmap gave
    std::size_t reservedBytes = 0;
  };
  static constexpr std::size_t maxArenas = 256;

  const Arena *find(HomeAddress address) const;
  const Arena *reserve(ByteRun run);

  const Kind kind_;
  const std::uint64_t firstTry_;
  std::mutex growing_;
  std::array<Arena, maxArenas> arenas_; ///< [0, count_) never change once counted
  std::atomic<std::size_t> count_{0};
};

} // namespace streamap
