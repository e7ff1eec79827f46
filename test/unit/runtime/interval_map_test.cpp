// StreamMAP tests: IntervalMap against an array of bytes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/interval_map.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <vector>

namespace streamap {
namespace {

constexpr HomeAddress space = 96;
using Naive = std::array<std::optional<int>, space>;

std::vector<std::pair<ByteRun, int>> piecesOf(const IntervalMap<int> &map) {
  std::vector<std::pair<ByteRun, int>> all;
  map.forEach([&](ByteRun run, int value) { all.emplace_back(run, value); });
  return all;
}

void expectSame(const IntervalMap<int> &map, const Naive &naive) {
  Naive seen;
  HomeAddress end = 0;
  for (auto [run, value] : piecesOf(map)) {
    ASSERT_LT(run.lo, run.hi);
    ASSERT_GE(run.lo, end);
    end = run.hi;
    for (HomeAddress a = run.lo; a < run.hi; ++a)
      seen[a] = value;
  }
  ASSERT_EQ(seen, naive);
}

ByteRun someRun(std::mt19937 &random) {
  HomeAddress a = random() % space, b = random() % (space + 1);
  return {std::min(a, b), std::max(a, b)};
}

void step(IntervalMap<int> &map, Naive &naive, std::mt19937 &random) {
  ByteRun run = someRun(random);
  int value = static_cast<int>(random() % 3);
  switch (random() % 6) {
  case 0:
    map.assign(run, value);
    std::fill(naive.begin() + run.lo, naive.begin() + run.hi, value);
    break;
  case 1:
    map.erase(run);
    std::fill(naive.begin() + run.lo, naive.begin() + run.hi, std::nullopt);
    break;
  case 2: {
    HomeAddress from = run.lo;
    map.edit(run, [&](ByteRun part, int &v) {
      ASSERT_EQ(part.lo, from);
      from = part.hi;
      v += value;
    });
    if (run.lo < run.hi) {
      ASSERT_EQ(from, run.hi);
    }
    for (HomeAddress a = run.lo; a < run.hi; ++a)
      naive[a] = naive[a].value_or(0) + value;
    break;
  }
  case 3:
    map.editCovered(run, [&](ByteRun, int &v) { v = value; });
    for (HomeAddress a = run.lo; a < run.hi; ++a)
      if (naive[a])
        naive[a] = value;
    break;
  case 4:
    map.eraseIf([&](ByteRun, int &v) { return v == value; });
    for (auto &v : naive)
      if (v == value)
        v.reset();
    break;
  default:
    map.mergeIn(run);
  }
  Naive part;
  HomeAddress from = run.lo;
  map.forEachIn(
      run,
      [&](ByteRun p, int v) {
        ASSERT_EQ(p.lo, from);
        from = p.hi;
        std::fill(part.begin() + p.lo, part.begin() + p.hi, v);
      },
      [&](ByteRun gap) {
        ASSERT_EQ(gap.lo, from);
        from = gap.hi;
      });
  for (HomeAddress a = run.lo; a < run.hi; ++a)
    ASSERT_EQ(part[a], naive[a]);
}

TEST(IntervalMap, MatchesAByteArray) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    IntervalMap<int> map;
    Naive naive;
    for (int i = 0; i < 60; ++i) {
      step(map, naive, random);
      expectSame(map, naive);
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " step " << i;
    }
    map.mergeIn({0, space});
    auto pieces = piecesOf(map);
    for (std::size_t i = 1; i < pieces.size(); ++i)
      ASSERT_FALSE(pieces[i].first.lo == pieces[i - 1].first.hi && pieces[i].second == pieces[i - 1].second) << "seed " << seed;
  }
}

TEST(IntervalMap, MergesOnlyWhatTouches) {
  IntervalMap<int> map;
  map.assign({0, 8}, 1);
  map.assign({8, 16}, 1);
  map.assign({16, 24}, 2);
  map.assign({32, 40}, 2);
  map.mergeIn({8, 9});
  EXPECT_EQ(piecesOf(map), (std::vector<std::pair<ByteRun, int>>{{{0, 16}, 1}, {{16, 24}, 2}, {{32, 40}, 2}}));
}

} // namespace
} // namespace streamap
