// StreamMAP tests: sets of runs against sets of bytes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/run_set.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

#include "base/inline_vector.h"

namespace streamap {
namespace {

using Bytes = std::bitset<64>;

Bytes bytesOf(std::span<const ByteRun> runs) {
  Bytes bytes;
  for (ByteRun run : runs)
    for (HomeAddress a = run.lo; a < run.hi; ++a)
      bytes.set(a);
  return bytes;
}

std::vector<ByteRun> someRuns(std::mt19937 &random) {
  std::vector<ByteRun> runs(random() % 8);
  for (ByteRun &run : runs)
    run = {random() % 60, random() % 64};
  return runs;
}

void expectNormal(const RunSet &runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_LT(runs[i].lo, runs[i].hi);
    if (i > 0) {
      EXPECT_LT(runs[i - 1].hi, runs[i].lo);
    }
  }
}

TEST(RunSet, MatchesSetsOfBytes) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    std::vector<ByteRun> a = someRuns(random), b = someRuns(random);
    Bytes wantA = bytesOf(a), wantB = bytesOf(b);
    normalise(a);
    normalise(b);
    RunSet both = intersect(a, b), all = unite(a, b), rest = subtract(a, b);
    for (const RunSet &set : {a, b, both, all, rest})
      expectNormal(set);
    EXPECT_EQ(bytesOf(a), wantA);
    EXPECT_EQ(bytesOf(both), wantA & wantB);
    EXPECT_EQ(bytesOf(all), wantA | wantB);
    EXPECT_EQ(bytesOf(rest), wantA & ~wantB);
    EXPECT_EQ(totalBytes(all), (wantA | wantB).count());
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(InlineVector, KeepsItsElementsBeyondItsInlineRoom) {
  InlineVector<int, 2> v;
  for (int i = 0; i < 9; ++i)
    v.push_back(i);
  InlineVector<int, 2> copy(v), moved(std::move(v));
  EXPECT_TRUE(v.empty()); // NOLINT(bugprone-use-after-move): it is empty by contract
  EXPECT_EQ(copy, moved);
  v.push_back(7);
  copy = v;
  EXPECT_EQ(copy.size(), 1u);
  EXPECT_EQ(copy[0], 7);
  moved.eraseUnordered(0);
  EXPECT_EQ(moved.size(), 8u);
  EXPECT_EQ(moved[0], 8);
  moved.truncate(1);
  v = std::move(moved);
  EXPECT_EQ(v.size(), 1u);
}

} // namespace
} // namespace streamap
