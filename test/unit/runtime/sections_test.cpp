// StreamMAP tests: sections as byte runs, against listing every byte at every index.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/sections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace streamap {
namespace {

constexpr HomeAddress baseAddress = 10000;
const void *const base = reinterpret_cast<const void *>(baseAddress); // NOLINT(performance-no-int-to-ptr)

streamap_axis axis(std::int64_t lower, std::int64_t lowerStep, std::int64_t length, std::int64_t lengthStep = 0,
                   std::int64_t pitch = 1, std::int64_t extentLower = 0, std::int64_t extentLength = -1) {
  return {lower, lowerStep, length, lengthStep, extentLower, extentLength, pitch};
}

std::vector<ByteRun> emitted(std::vector<streamap_axis> axes, std::vector<streamap_grid> grids, SectionFault *fault = nullptr) {
  streamap_sink sink;
  sink.begin(grids);
  streamap_emit(&sink, 0, STREAMAP_IN, base, static_cast<std::uint32_t>(axes.size()), axes.data());
  if (fault)
    *fault = sink.fault;
  std::vector<ByteRun> runs;
  for (const Section &section : sink.sections)
    for (ByteRun run : sink.runsOf(section))
      runs.push_back({run.lo - baseAddress, run.hi - baseAddress});
  return runs;
}

struct Case {
  const char *what;
  std::vector<streamap_axis> axes;
  std::vector<streamap_grid> grids;
  std::vector<ByteRun> want;
};

TEST(Sections, Table) {
  const Case cases[] = {
      {"x[0:n]", {axis(0, 0, 10, 0, 4)}, {}, {{0, 40}}},
      {"negative length", {axis(3, 0, -2, 0, 4)}, {}, {}},
      {"x[i]", {axis(0, 1, 1, 0, 8)}, {{10, 5, 1}}, {{80, 120}}},
      {"x[i] where no index runs", {axis(0, 1, 1, 0, 8)}, {{10, 0, 1}}, {}},
      {"x[0:n] where no index runs", {axis(0, 0, 2, 0, 8)}, {{10, 0, 1}}, {{0, 16}}},
      {"x[i], every third", {axis(0, 1, 1, 0, 8)}, {{0, 3, 3}}, {{0, 8}, {24, 32}, {48, 56}}},
      {"x[i] of two loops", {axis(0, 1, 1, 0, 8)}, {{0, 3, 2}, {1, 2, 2}}, {{0, 40}}},
      {"halo x[i-1:3], clipped", {axis(-1, 1, 3, 0, 8, 0, 8)}, {{0, 8, 1}}, {{0, 64}}},
      {"mirrored x[n-1-i]", {axis(9, -1, 1, 0, 2)}, {{0, 4, 1}}, {{12, 20}}},
      {"mirrored, strided", {axis(9, -2, 1, 0, 1)}, {{0, 3, 1}}, {{5, 6}, {7, 8}, {9, 10}}},
      {"rows A[i*n:n]", {axis(0, 5, 5, 0, 1)}, {{2, 2, 1}}, {{10, 20}}},
      {"rows A[i:1][0:5] of 5 are dense", {axis(0, 1, 1, 0, 5), axis(0, 0, 5)}, {{2, 3, 1}}, {{10, 25}}},
      {"columns A[0:3][i:2]", {axis(0, 0, 3, 0, 10), axis(0, 1, 2)}, {{4, 2, 1}}, {{4, 7}, {14, 17}, {24, 27}}},
      {"triangle x[0:i]", {axis(0, 0, 0, 1, 4)}, {{0, 5, 1}}, {{0, 16}}},
      {"triangle x[i*10:i]", {axis(0, 10, 0, 1)}, {{0, 4, 1}}, {{10, 11}, {20, 22}, {30, 33}}},
      {"shrinking x[i*3:4-2i]", {axis(0, 3, 4, -2)}, {{0, 9, 1}}, {{0, 5}}},
      {"diagonal A[i][i]", {axis(0, 1, 1, 0, 10), axis(0, 1, 1)}, {{0, 3, 1}}, {{0, 1}, {11, 12}, {22, 23}}},
      {"nothing inside the extent", {axis(5, 0, 5, 0, 1, 0, 5)}, {}, {}},
      {"extent of nothing", {axis(0, 0, 5, 0, 1, 0, 0)}, {}, {}},
      {"stays negative", {axis(-4, 0, 2, 0, 4)}, {}, {{HomeAddress(-16), HomeAddress(-8)}}},
  };
  for (const Case &c : cases) {
    SectionFault fault{};
    EXPECT_EQ(emitted(c.axes, c.grids, &fault), c.want) << c.what;
    EXPECT_EQ(fault, SectionFault::None) << c.what;
  }
}

TEST(Sections, TellsWhatCannotBe) {
  auto faultOf = [](std::vector<streamap_axis> axes, std::vector<streamap_grid> grids = {}) {
    SectionFault fault{};
    emitted(std::move(axes), std::move(grids), &fault);
    return fault;
  };
  EXPECT_EQ(faultOf({axis(INT64_MAX, 0, 1, 0, 8)}), SectionFault::Overflow);
  EXPECT_EQ(faultOf({axis(0, 0, INT64_MAX, 0, 8)}), SectionFault::Overflow);
  EXPECT_EQ(faultOf({axis(INT64_MAX / 8, 0, 1, 0, 8), axis(INT64_MAX / 8, 0, 1, 0, 8)}), SectionFault::Overflow);
  EXPECT_EQ(faultOf({axis(0, INT64_MAX, 1, 0, 8)}, {{INT64_MAX - 3, 2, 1}}), SectionFault::Overflow);
  EXPECT_EQ(faultOf({axis(-100000, 0, 1, 0, 1)}), SectionFault::Overflow); // before address 0
  EXPECT_EQ(faultOf({axis(0, 2, 1, 0, 1)}, {{0, std::int64_t{1} << 40, 1}}), SectionFault::TooManyRuns);
  EXPECT_EQ(faultOf({axis(0, 0, std::int64_t{1} << 30, 0, 16), axis(0, 0, 1)}), SectionFault::TooManyRuns);
  // Far outside, but clipped to an extent.
  SectionFault fault{};
  EXPECT_EQ(emitted({axis(INT64_MIN, 0, INT64_MAX, 0, 8, 0, 4)}, {}, &fault), std::vector<ByteRun>{});
  EXPECT_EQ(emitted({axis(0, 1, INT64_MAX, 0, 8, 0, 4)}, {{1, 9, 1}}, &fault), (std::vector<ByteRun>{{8, 32}}));
  EXPECT_EQ(fault, SectionFault::None);
}

/// Every byte of the section at index i.
void listBytes(const std::vector<streamap_axis> &axes, std::int64_t i, std::size_t k, std::int64_t offset,
               std::set<std::int64_t> &out) {
  const streamap_axis &a = axes[k];
  std::int64_t lo = a.lower + a.lower_step * i, hi = lo + a.length + a.length_step * i;
  if (a.extent_length >= 0) {
    lo = std::max(lo, a.extent_lower);
    hi = std::min(hi, a.extent_lower + a.extent_length);
  }
  for (std::int64_t e = lo; e < hi; ++e) {
    if (k + 1 < axes.size())
      listBytes(axes, i, k + 1, offset + e * a.pitch, out);
    else
      for (std::int64_t byte = 0; byte < a.pitch; ++byte)
        out.insert(offset + e * a.pitch + byte);
  }
}

TEST(Sections, MatchListingEveryByte) {
  for (unsigned seed = 0; seed < 20000; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](int lo, int hi) {
      return std::int64_t{lo} + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
    };
    std::vector<streamap_axis> axes(static_cast<std::size_t>(pick(1, 3)));
    std::int64_t pitch = pick(1, 4);
    for (std::size_t k = axes.size(); k-- > 0;) {
      bool moving = pick(0, 2) == 0;
      axes[k] = axis(pick(-3, 3), moving ? pick(-3, 3) : 0, pick(-1, 4), moving ? pick(-1, 1) : 0, pitch, pick(-1, 1),
                     pick(0, 1) ? -1 : pick(0, 6));
      pitch *= pick(1, 6);
    }
    std::vector<streamap_grid> grids(static_cast<std::size_t>(pick(0, 2)));
    for (streamap_grid &grid : grids)
      grid = {pick(-5, 5), pick(0, 5), pick(1, 3)};
    std::set<std::int64_t> want;
    bool moving = std::any_of(axes.begin(), axes.end(), [](auto &a) { return a.lower_step != 0 || a.length_step != 0; });
    if (!moving)
      listBytes(axes, 0, 0, 0, want);
    for (const streamap_grid &grid : grids)
      for (std::int64_t k = 0; moving && k < grid.count; ++k)
        listBytes(axes, grid.first + k * grid.step, 0, 0, want);
    std::set<std::int64_t> got;
    std::vector<ByteRun> runs = emitted(axes, grids);
    for (ByteRun run : runs)
      for (HomeAddress a = run.lo; a != run.hi; ++a)
        ASSERT_TRUE(got.insert(static_cast<std::int64_t>(a)).second) << "seed " << seed;
    ASSERT_EQ(got, want) << "seed " << seed;
  }
}

TEST(Sections, RegionOfTwoAxes) {
  streamap_axis axes[] = {axis(1, 0, 2, 0, 10), axis(2, 0, 3)};
  streamap_region region{base, 2, axes};
  std::vector<ByteRun> runs;
  EXPECT_EQ(regionRuns(region, runs), SectionFault::None);
  EXPECT_EQ(runs, (std::vector<ByteRun>{{10012, 10015}, {10022, 10025}}));
}

} // namespace
} // namespace streamap
