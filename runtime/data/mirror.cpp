// StreamMAP runtime: where bytes of home lie on this rank.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/mirror.h"
#include "base/sanitizers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <sstream>

namespace streamap {
namespace {

/// Arenas start where huge pages may start, here as at home.
constexpr std::uint64_t hugePage = std::uint64_t{2} << 20;

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

} // namespace

std::uint64_t Mirror::defaultArena() {
#if defined(STREAMAP_THREAD_SANITIZER)
  return std::uint64_t{1} << 36; // its own map leaves 1.5 TiB to the program
#else
  return largestArena;
#endif
}

Mirror::Mirror(Kind kind, std::uint64_t firstTry) : kind_(kind), firstTry_(firstTry) {
  assert(firstTry >= smallestArena && (firstTry & (firstTry - 1)) == 0);
}

Mirror::~Mirror() {
  for (std::size_t i = 0; i < count_; ++i)
    munmap(arenas_[i].reserved, arenas_[i].reservedBytes);
}

const Mirror::Arena *Mirror::find(HomeAddress address) const {
  const std::size_t count = count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) // nearly always one of two: the heap's and that of stack and mmap
    if (address >= arenas_[i].lo && address < arenas_[i].hi)
      return &arenas_[i];
  return nullptr;
}

/// Reserves the largest arena around the run that the system grants and that touches no other. Called with growing_ held.
const Mirror::Arena *Mirror::reserve(ByteRun run) {
  const std::size_t count = count_.load(std::memory_order_relaxed);
  if (count == maxArenas)
    return nullptr;
  for (std::uint64_t size = firstTry_; size >= smallestArena; size /= 4) {
    Arena arena;
    arena.lo = run.lo & ~(size - 1);
    arena.hi = std::min(addressLimit, (run.hi + size - 1) & ~(size - 1));
    for (std::size_t i = 0; i < count; ++i) {
      if (arenas_[i].hi <= run.lo)
        arena.lo = std::max(arena.lo, arenas_[i].hi);
      else if (arenas_[i].lo >= run.hi)
        arena.hi = std::min(arena.hi, arenas_[i].lo);
    }
    arena.reservedBytes = arena.hi - arena.lo + hugePage;
    arena.reserved =
        mmap(nullptr, arena.reservedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena.reserved == MAP_FAILED)
      continue;
    madvise(arena.reserved, arena.reservedBytes, MADV_DONTDUMP); // a core file with terabytes of holes helps nobody
    const auto begin = reinterpret_cast<std::uintptr_t>(arena.reserved);
    arena.local = static_cast<std::byte *>(arena.reserved) + (((begin + hugePage - 1) & ~(hugePage - 1)) - begin);
    arenas_[count] = arena;
    count_.store(count + 1, std::memory_order_release);
    return &arenas_[count];
  }
  return nullptr;
}

Result<void> Mirror::prepare(ByteRun run) {
  if (kind_ == Kind::Home || run.bytes() == 0)
    return {};
  const Arena *arena = find(run.lo);
  if (!arena) {
    std::lock_guard lock(growing_);
    arena = find(run.lo);
    if (!arena && run.hi <= addressLimit)
      arena = reserve(run);
  }
  if (!arena)
    return failure("no address space for a copy of the bytes from " + hex(run.lo) + " to " + hex(run.hi),
                   "raise the limit of virtual memory (ulimit -v)");
  if (run.hi > arena->hi)
    return failure("the bytes from " + hex(run.lo) + " to " + hex(run.hi) +
                       " cross the end of a reserved part of the address space",
                   "raise the limit of virtual memory (ulimit -v), so that larger parts can be reserved");
  return {};
}

std::byte *Mirror::at(HomeAddress address) const {
  if (kind_ == Kind::Home)
    return reinterpret_cast<std::byte *>(address);
  const Arena *arena = find(address);
  if (!arena)
    arena = find(address - 1); // one behind the end of an arena's last run
  assert(arena && "the run was prepared");
  return arena->local + (address - arena->lo);
}

void *Mirror::translate(const void *address) {
  const auto value = reinterpret_cast<HomeAddress>(address);
  if (kind_ == Kind::Home || value == 0 || value >= addressLimit)
    return const_cast<void *>(address);
  const Arena *arena = find(value);
  if (!arena) {
    if (!prepare({value, value + 1}))
      return const_cast<void *>(address);
    arena = find(value);
  }
  return arena->local + (value - arena->lo);
}

void Mirror::discard(std::span<const ByteRun> runs) {
  if (kind_ == Kind::Home)
    return;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const ByteRun run : runs) {
    const std::uint64_t lo = (run.lo + page - 1) & ~(page - 1), hi = run.hi & ~(page - 1);
    if (lo < hi && find(lo))
      madvise(at(lo), hi - lo, MADV_DONTNEED);
  }
}

} // namespace streamap
