// StreamMAP tests: what is known of unchanged bytes, and what only seems so.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/stamps.h"

#include <gtest/gtest.h>

namespace streamap {
namespace {

constexpr std::uint64_t block = stampBlockBytes;
using Runs = std::vector<ByteRun>;

std::vector<BlockHash> hashes(std::initializer_list<std::uint64_t> values) {
  std::vector<BlockHash> all;
  for (std::uint64_t value : values)
    all.push_back({value, ~value});
  return all;
}

TEST(StampBlocks, AreCutAtMultiplesAndClipped) {
  StampBlocks blocks({block - 10, 3 * block + 5});
  ASSERT_EQ(blocks.count(), 4u);
  EXPECT_EQ(blocks[0], (ByteRun{block - 10, block}));
  EXPECT_EQ(blocks[1], (ByteRun{block, 2 * block}));
  EXPECT_EQ(blocks[3], (ByteRun{3 * block, 3 * block + 5}));
  EXPECT_EQ(StampBlocks({0, block}).count(), 1u);
  EXPECT_EQ(StampBlocks({5, 5}).count(), 0u);
}

TEST(Stamps, OnlyDifferentBlocksAreChanged) {
  StampTable table;
  ByteRun run{0, 4 * block};
  table.record(run, Version{5}, hashes({1, 2, 3, 4}));
  EXPECT_EQ(table.changedRuns(run, Version{5}, hashes({1, 2, 3, 4})), Runs{});
  EXPECT_EQ(table.changedRuns(run, Version{5}, hashes({1, 9, 9, 4})), (Runs{{block, 3 * block}}));
  EXPECT_EQ(table.changedRuns(run, Version{6}, hashes({1, 2, 3, 4})), Runs{run});
}

TEST(Stamps, VersionsWithTheSameBytesAreAllKnown) {
  StampTable table;
  ByteRun run{100, 200};
  table.record(run, Version{5}, hashes({1}));
  table.record(run, Version{8}, hashes({1}));
  EXPECT_EQ(table.changedRuns(run, Version{5}, hashes({1})), Runs{});
  EXPECT_EQ(table.changedRuns(run, Version{8}, hashes({1})), Runs{});
  // A version between them was never at home: other bytes may have been written, and the old ones again.
  EXPECT_EQ(table.changedRuns(run, Version{6}, hashes({1})), Runs{run});
  table.record(run, Version{9}, hashes({2}));
  EXPECT_EQ(table.changedRuns(run, Version{8}, hashes({1})), Runs{run});
}

TEST(Stamps, AnotherCutOfTheBytesTellsNothing) {
  StampTable table;
  table.record({0, 2 * block}, Version{5}, hashes({1, 2}));
  EXPECT_EQ(table.changedRuns({8, 2 * block}, Version{5}, hashes({1, 2})), (Runs{{8, block}}));
  table.record({8, block}, Version{6}, hashes({3}));
  EXPECT_EQ(table.changedRuns({0, 2 * block}, Version{5}, hashes({1, 2})), (Runs{{0, block}}));
  EXPECT_EQ(table.size(), 2u);
}

TEST(Stamps, ForgetAndOldestVersion) {
  StampTable table;
  ByteRun run{0, 10};
  for (std::uint64_t version = 1; version <= 20; ++version)
    table.record(run, Version{version}, hashes({1}));
  EXPECT_EQ(table.changedRuns(run, Version{1}, hashes({1})), Runs{run});
  EXPECT_EQ(table.changedRuns(run, Version{20}, hashes({1})), Runs{});
  table.forget({9, 50});
  EXPECT_EQ(table.size(), 0u);
}

} // namespace
} // namespace streamap
