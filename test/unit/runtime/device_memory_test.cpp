// StreamMAP tests: device memory as bookkeeping: what is reserved, what is held where, what must go.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "device/caching_allocator.h"
#include "device/residency.h"

namespace streamap {
namespace {

// ---- The allocator
// ------------------------------------------------------------------------------------------------------------------

/// Memory of a set size that notices every wrong give-back.
class CountedSource final : public MemorySource {
public:
  explicit CountedSource(Bytes limit) : limit_(limit) {}
  ~CountedSource() override { EXPECT_TRUE(live.empty()) << "reservations are left"; }

  DeviceResult<DevicePointer> reserve(Bytes size) override {
    if (size > limit_ - used)
      return deviceFailure(DeviceErrorKind::OutOfMemory, "full");
    const DevicePointer pointer{next_};
    next_ += size.value + 4096;
    live[pointer.value] = size;
    used += size;
    ++reservations;
    return pointer;
  }
  DeviceResult<void> giveBack(DevicePointer pointer) override {
    const auto found = live.find(pointer.value);
    EXPECT_NE(found, live.end());
    used -= found->second;
    live.erase(found);
    return {};
  }

  std::map<std::uint64_t, Bytes> live;
  Bytes used;
  int reservations = 0;

private:
  const Bytes limit_;
  std::uint64_t next_ = 1 << 20;
};

TEST(CachingAllocator, UsesWhatItHasReserved) {
  CountedSource source(1_GiB);
  CachingAllocator allocator(source, {64_MiB});
  const DevicePointer a = *allocator.allocate(Bytes{100}), b = *allocator.allocate(Bytes{700});
  EXPECT_EQ(source.reservations, 1); // both cut from one
  EXPECT_EQ(allocator.reserved(), 2_MiB);
  EXPECT_EQ(allocator.allocated(), Bytes{512 + 1024});
  ASSERT_TRUE(allocator.free(a));
  ASSERT_TRUE(allocator.free(b));
  EXPECT_EQ(allocator.allocated(), Bytes{});
  EXPECT_EQ(allocator.reserved(), 2_MiB); // kept
  ASSERT_TRUE(allocator.free(*allocator.allocate(2_MiB)));
  EXPECT_EQ(source.reservations, 1); // and whole again
  ASSERT_TRUE(allocator.trim());
  EXPECT_EQ(allocator.reserved(), Bytes{});
  EXPECT_EQ(allocator.mostReserved(), 2_MiB);
}

TEST(CachingAllocator, GivesIdleReservationsBackBeforeItRefuses) {
  CountedSource source(1_GiB);
  CachingAllocator allocator(source, {10_MiB});
  const DevicePointer a = *allocator.allocate(5_MiB);
  ASSERT_TRUE(allocator.free(a));
  const DevicePointer b = *allocator.allocate(9_MiB); // does not fit into what is left, nor into what is idle
  EXPECT_EQ(source.live.size(), 1u);
  const auto refused = allocator.allocate(2_MiB);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, DeviceErrorKind::OutOfMemory);
  ASSERT_TRUE(allocator.allocate(1_MiB)); // exactly, where a round amount does not fit
  EXPECT_EQ(allocator.reserved(), 10_MiB);
  ASSERT_TRUE(allocator.free(b));
  EXPECT_FALSE(allocator.allocate(Bytes{UINT64_MAX}));
  EXPECT_FALSE(allocator.allocate(11_MiB));
}

TEST(CachingAllocator, RandomUseKeepsTheLedgerRight) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    CountedSource source(seed % 3 == 0 ? 20_MiB : 1_GiB); // somebody else uses the device, too
    const bool cuts = seed % 4 != 0;
    CachingAllocator allocator(source, {32_MiB, cuts});
    struct Held {
      std::uint64_t address;
      Bytes asked;
    };
    std::vector<Held> held;
    std::uint64_t asked = 0;
    for (int step = 0; step < 300; ++step) {
      if (held.empty() || random() % 100 < 55) {
        const Bytes size{1 + random() % (random() % 3 == 0 ? 6'000'000 : 5000)};
        if (const auto pointer = allocator.allocate(size)) {
          for (const Held &other : held)
            ASSERT_TRUE(pointer->value + size.value <= other.address || other.address + other.asked.value <= pointer->value);
          held.push_back({pointer->value, size});
          asked += size.value;
        }
      } else {
        const std::size_t which = random() % held.size();
        ASSERT_TRUE(allocator.free(DevicePointer{held[which].address}));
        asked -= held[which].asked.value;
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      }
      ASSERT_GE(allocator.allocated().value, asked);
      ASSERT_LE(allocator.allocated().value, asked + held.size() * (cuts ? CachingAllocator::granule : 0));
      ASSERT_LE(allocator.allocated(), allocator.reserved());
      ASSERT_LE(allocator.reserved(), allocator.budget());
      ASSERT_EQ(allocator.reserved(), source.used);
    }
  }
}

// ---- Who holds what
// -----------------------------------------------------------------------------------------------------------------

SegmentId segmentAt(Residency &residency, int device, ByteRun run) {
  return residency.add(device, run, DevicePointer{0x10000 + run.lo}, DevicePointer{0x10000});
}

TEST(Residency, AWriterIsTheOnlyHolder) {
  Residency residency;
  const SegmentId s = segmentAt(residency, 0, {100, 200});
  const ByteRun all{100, 200}, middle{120, 150};
  EXPECT_TRUE(residency.empty());
  EXPECT_EQ(residency.missing(s, {&all, 1}), (RunSet{{100, 200}}));
  EXPECT_TRUE(residency.holds(onHost, all));
  residency.copied(s, all);
  EXPECT_TRUE(residency.holds(s, all));
  EXPECT_TRUE(residency.holds(onHost, all));
  residency.wrote(s, middle);
  EXPECT_EQ(residency.missing(onHost, {&all, 1}), (RunSet{{120, 150}}));
  const auto sources = residency.sources(onHost, {&all, 1});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].from, s);
  residency.copied(onHost, middle);
  EXPECT_TRUE(residency.victim(0)->onlyThere.empty());
  residency.hostOnly(all);
  EXPECT_TRUE(residency.empty());
}

TEST(Residency, CleanSegmentsGoFirstThenTheLeastRecentlyUsed) {
  Residency residency;
  const SegmentId a = segmentAt(residency, 0, {0, 100}), b = segmentAt(residency, 0, {100, 200}),
                  c = segmentAt(residency, 0, {200, 300}), other = segmentAt(residency, 1, {0, 100});
  residency.wrote(a, {0, 100});
  residency.copied(b, {100, 200});
  residency.copied(c, {200, 300});
  residency.pin(b);
  residency.unpin(b);
  EXPECT_EQ(residency.victim(0)->id, c); // clean, and used before b
  residency.pin(c);
  EXPECT_EQ(residency.victim(0)->id, b);
  residency.pin(b);
  const auto last = residency.victim(0);
  EXPECT_EQ(last->id, a);
  EXPECT_EQ(last->onlyThere, (RunSet{{0, 100}}));
  residency.pin(a);
  EXPECT_FALSE(residency.victim(0));
  const std::array<SegmentId, 3> mine{a, b, c};
  EXPECT_TRUE(residency.anyPinned(0, {}));
  EXPECT_FALSE(residency.anyPinned(0, mine));
  residency.pin(a);
  EXPECT_TRUE(residency.anyPinned(0, mine)); // somebody else, too
  EXPECT_EQ(residency.victim(1)->id, other);
}

TEST(Residency, ReadsFromWhereItIsNearest) {
  Residency residency;
  const SegmentId a = segmentAt(residency, 0, {0, 100}), b = segmentAt(residency, 0, {50, 150}),
                  far = segmentAt(residency, 1, {0, 200});
  const ByteRun wanted{50, 150};
  residency.wrote(far, {0, 200});
  residency.copied(a, {0, 100});
  auto sources = residency.sources(b, {&wanted, 1});
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].run, (ByteRun{50, 100}));
  EXPECT_EQ(sources[0].from, a);
  EXPECT_EQ(sources[1].from, far);
  residency.copied(onHost, {100, 200});
  sources = residency.sources(b, {&wanted, 1});
  EXPECT_EQ(sources[1].from, onHost);
  EXPECT_EQ(residency.covering(0, {60, 90}), a); // it holds them
  EXPECT_EQ(residency.covering(0, {60, 120}), b);
  EXPECT_FALSE(residency.covering(0, {0, 120}));
}

TEST(Residency, ALostDeviceTakesWithItWhatNobodyElseHas) {
  Residency residency;
  const SegmentId a = segmentAt(residency, 0, {0, 100}), b = segmentAt(residency, 1, {0, 100});
  residency.wrote(a, {0, 60});
  residency.copied(a, {60, 100});
  residency.copied(b, {0, 20});
  residency.pin(a);
  EXPECT_EQ(residency.removeAll(0), (RunSet{{20, 60}}));
  EXPECT_EQ(residency.segments(), 1u);
  EXPECT_FALSE(residency.holds(onHost, {0, 20}));
  EXPECT_TRUE(residency.holds(b, {0, 20}));
}

/// Every place with memory of its own: a program of random reads, writes, evictions and losses keeps the latest bytes reachable.
TEST(Residency, RandomUseNeverLosesAByte) {
  constexpr std::uint64_t bytes = 64;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::uint64_t lo, std::uint64_t hi) { return lo + random() % (hi - lo + 1); };
    Residency residency;
    std::map<std::uint32_t, std::array<int, bytes>> memory; // by segment; 0 is the host
    std::array<int, bytes> truth{};
    memory[0] = {};
    int value = 0;
    const auto bring = [&](SegmentId to, ByteRun run) {
      for (const auto &[part, from] : residency.sources(to, {&run, 1})) {
        for (HomeAddress at = part.lo; at < part.hi; ++at)
          memory[to.value][at] = memory.at(from.value)[at];
        residency.copied(to, part);
      }
      for (HomeAddress at = run.lo; at < run.hi; ++at)
        ASSERT_EQ(memory[to.value][at], truth[at]) << "seed " << seed;
    };
    for (int step = 0; step < 200; ++step) {
      const std::uint64_t lo = pick(0, bytes - 1);
      const ByteRun run{lo, pick(lo + 1, bytes)};
      const int device = static_cast<int>(pick(0, 1));
      SegmentId at = onHost;
      if (pick(0, 2) != 0) {
        auto found = residency.covering(device, run);
        if (!found) {
          found = segmentAt(residency, device, {lo - std::min(lo, pick(0, 3)), run.hi});
          memory[found->value].fill(-1);
        }
        at = *found;
      }
      residency.pin(at);
      if (pick(0, 1) == 0) {
        bring(at, run);
      } else {
        ++value;
        residency.wrote(at, run);
        for (HomeAddress k = run.lo; k < run.hi; ++k)
          memory[at.value][k] = truth[k] = value;
      }
      residency.unpin(at);
      if (pick(0, 3) == 0)
        if (const auto victim = residency.victim(device)) {
          for (const ByteRun only : victim->onlyThere)
            bring(onHost, only);
          memory.erase(victim->id.value);
          residency.remove(victim->id);
        }
      if (pick(0, 60) == 0)
        for (const ByteRun lost : residency.removeAll(device))
          for (HomeAddress k = lost.lo; k < lost.hi; ++k)
            truth[k] = memory[0][k]; // what the program would have to recompute
    }
    bring(onHost, {0, bytes});
  }
}

} // namespace
} // namespace streamap
