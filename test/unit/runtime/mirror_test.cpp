// StreamMAP tests: mirrors of home.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/sanitizers.h"
#include "data/mirror.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

namespace streamap {
namespace {

constexpr HomeAddress heap = 0x555555600040, stack = 0x7ffd00001230;

TEST(Mirror, HomeIsItself) {
  Mirror mirror(Mirror::Kind::Home);
  int x = 3;
  EXPECT_TRUE(mirror.prepare({reinterpret_cast<HomeAddress>(&x), reinterpret_cast<HomeAddress>(&x + 1)}));
  EXPECT_EQ(mirror.translate(&x), &x);
  const ByteRun run{reinterpret_cast<HomeAddress>(&x), reinterpret_cast<HomeAddress>(&x + 1)};
  mirror.discard({&run, 1});
  EXPECT_EQ(x, 3);
}

TEST(Mirror, KeepsDistanceAndAlignment) {
  Mirror mirror(Mirror::Kind::Copy);
  for (const HomeAddress home : {heap, stack}) {
    ASSERT_TRUE(mirror.prepare({home, home + 100'000'000}));
    std::byte *const local = mirror.at(home);
    EXPECT_EQ(reinterpret_cast<HomeAddress>(local) % 4096, home % 4096);
    EXPECT_EQ(mirror.at(home + 99'999'999) - local, 99'999'999);
    std::memset(local, 7, 100);
    std::memset(mirror.at(home + 99'999'900), 8, 100);
    EXPECT_EQ(mirror.translate(reinterpret_cast<void *>(home)), local);
  }
  EXPECT_NE(mirror.at(heap), mirror.at(stack));
}

TEST(Mirror, NullAndWhatIsNoAddressStay) {
  Mirror mirror(Mirror::Kind::Copy);
  EXPECT_EQ(mirror.translate(nullptr), nullptr);
  void *const wild = reinterpret_cast<void *>(~std::uintptr_t{0} - 4);
  EXPECT_EQ(mirror.translate(wild), wild);
}

TEST(Mirror, DiscardedPagesReadAsZero) {
  Mirror mirror(Mirror::Kind::Copy);
  const ByteRun run{heap, heap + 100'000};
  ASSERT_TRUE(mirror.prepare(run));
  std::memset(mirror.at(run.lo), 1, run.bytes());
  mirror.discard({&run, 1});
  EXPECT_EQ(*mirror.at(heap), std::byte{1}) << "a page that is not wholly discarded keeps its bytes";
  EXPECT_EQ(*mirror.at(heap + 50'000), std::byte{0});
}

TEST(Mirror, SmallArenasTouchNeverOverlapAndRefuseWhatCrosses) {
  Mirror mirror(Mirror::Kind::Copy, Mirror::smallestArena);
  constexpr HomeAddress border = 0x500000000000;
  ASSERT_TRUE(mirror.prepare({border - 4096, border - 1000}));
  ASSERT_TRUE(mirror.prepare({border + 4096, border + 8192}));
  const auto crossing = mirror.prepare({border - 2000, border + 2000});
  ASSERT_FALSE(crossing);
  EXPECT_NE(crossing.error().message.find("cross the end"), std::string::npos) << crossing.error().message;
  EXPECT_TRUE(mirror.prepare({border + 100, border + 4196})) << "between the two";
}

TEST(Mirror, AnArenaCoversALargeRunThatIsAskedForAtOnce) {
  Mirror mirror(Mirror::Kind::Copy, Mirror::smallestArena);
  const ByteRun run{0x600000000000 - 4096, 0x600000000000 + Mirror::smallestArena + 4096};
  ASSERT_TRUE(mirror.prepare(run));
  *mirror.at(run.lo) = *(mirror.at(run.hi) - 1) = std::byte{1};
}

#if !defined(STREAMAP_ADDRESS_SANITIZER) && !defined(STREAMAP_THREAD_SANITIZER)
TEST(Mirror, FallsBackWhereAddressSpaceIsLimited) {
  const rlimit tight{std::uint64_t{64} << 30, RLIM_INFINITY};
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  {
    Mirror mirror(Mirror::Kind::Copy);
    EXPECT_TRUE(mirror.prepare({heap, heap + 1'000'000}));
    EXPECT_TRUE(mirror.prepare({stack, stack + 1000}));
    *mirror.at(heap) = *mirror.at(stack) = std::byte{1};
  }
  setrlimit(RLIMIT_AS, &before);
}
#endif

} // namespace
} // namespace streamap
