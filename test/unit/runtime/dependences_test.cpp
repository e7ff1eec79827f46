// StreamMAP tests: predecessors, and conflicts within a launch, against looking at every byte.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/dependences.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "graph/independence.h"

namespace streamap {
namespace {

constexpr HomeAddress space = 48;

std::vector<Access> someAccesses(std::mt19937 &random) {
  std::vector<Access> accesses(1 + random() % 4);
  for (Access &access : accesses) {
    HomeAddress a = random() % space, b = random() % (space + 1);
    access = {{std::min(a, b), std::max(a, b)}, static_cast<AccessMode>(1 + random() % 3)};
  }
  std::erase_if(accesses, [](const Access &access) { return access.run.lo == access.run.hi; });
  return accesses;
}

using ByteModes = std::array<int, space>;
ByteModes modesOf(const std::vector<Access> &accesses) {
  ByteModes modes{};
  for (const Access &access : accesses)
    for (HomeAddress a = access.run.lo; a < access.run.hi; ++a)
      modes[a] |= static_cast<int>(access.mode);
  return modes;
}

TEST(Accesses, UniteToSortedDisjointRuns) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    std::vector<Access> accesses = someAccesses(random);
    ByteModes want = modesOf(accesses);
    uniteAccesses(accesses, 0);
    EXPECT_EQ(modesOf(accesses), want) << "seed " << seed;
    for (std::size_t k = 1; k < accesses.size(); ++k) {
      EXPECT_LE(accesses[k - 1].run.hi, accesses[k].run.lo) << "seed " << seed;
      EXPECT_FALSE(accesses[k - 1].run.hi == accesses[k].run.lo && accesses[k - 1].mode == accesses[k].mode) << "seed " << seed;
    }
  }
}

TEST(Dependences, MatchTheRulesByteByByte) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    DependenceMap map;
    std::array<std::uint64_t, space> writer{};
    std::array<std::set<std::uint64_t>, space> readers;
    std::set<std::uint64_t> finishedTasks;
    auto finished = [&](EventId event) { return event == happened || finishedTasks.contains(event.value); };
    for (std::uint64_t id = 1; id <= 40; ++id) {
      std::vector<Access> accesses = someAccesses(random);
      uniteAccesses(accesses, 0);
      ByteModes modes = modesOf(accesses);
      std::map<std::uint64_t, bool> want;
      for (HomeAddress a = 0; a < space; ++a) {
        if (modes[a] == 0)
          continue;
        if (writer[a] && !finishedTasks.contains(writer[a]))
          want[writer[a]] |= (modes[a] & 1) != 0;
        if (modes[a] & 2) {
          for (std::uint64_t reader : readers[a])
            if (!finishedTasks.contains(reader))
              want[reader] |= false;
          readers[a].clear();
          writer[a] = id;
        } else {
          readers[a].insert(id);
        }
      }
      std::vector<Predecessor> predecessors;
      map.add(EventId{id}, accesses, finished, predecessors);
      std::map<std::uint64_t, bool> got;
      for (Predecessor p : predecessors)
        EXPECT_TRUE(got.emplace(p.task.value, p.readsFrom).second);
      ASSERT_EQ(got, want) << "seed " << seed << " task " << id;
      if (random() % 3 == 0)
        finishedTasks.insert(1 + random() % id);
    }
  }
}

TEST(Dependences, TheMapStaysAsSmallAsTheWork) {
  DependenceMap map;
  std::uint64_t doneBelow = 0;
  auto finished = [&](EventId event) { return event.value <= doneBelow; };
  std::vector<Predecessor> predecessors;
  for (std::uint64_t id = 1; id <= 100000; ++id) {
    std::vector<Access> accesses{{{id * 64, id * 64 + 32}, AccessMode::ReadWrite}, {{8, 16}, AccessMode::Read}};
    uniteAccesses(accesses, 0);
    predecessors.clear();
    map.add(EventId{id}, accesses, finished, predecessors);
    EXPECT_TRUE(predecessors.empty());
    doneBelow = id > 100 ? id - 100 : 0;
  }
  EXPECT_LT(map.size(), 10000u);
}

TEST(Independence, MatchesComparingEveryPair) {
  int found = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    std::mt19937 random(seed);
    std::vector<Touch> touches(2 + random() % 5);
    for (Touch &touch : touches) {
      HomeAddress a = random() % 40, b = a + 1 + random() % 8;
      touch = {{a, b},
               static_cast<std::uint32_t>(random() % 3),
               0,
               static_cast<Touch::Kind>(random() % 3),
               static_cast<std::uint32_t>(random() % 2)};
    }
    bool want = false;
    for (const Touch &x : touches)
      for (const Touch &y : touches) {
        bool overlap = x.run.lo < y.run.hi && y.run.lo < x.run.hi;
        bool write = x.kind != Touch::Kind::Read || y.kind != Touch::Kind::Read;
        bool bothReduce = x.kind == Touch::Kind::Reduce && y.kind == Touch::Kind::Reduce;
        bool oneReduces = (x.kind == Touch::Kind::Reduce) != (y.kind == Touch::Kind::Reduce);
        bool others = bothReduce ? x.reduction != y.reduction : oneReduces || x.task != y.task;
        want |= overlap && write && others;
      }
    auto conflict = findConflict(touches);
    ASSERT_EQ(conflict.has_value(), want) << "seed " << seed;
    if (conflict) {
      ++found;
      EXPECT_TRUE(conflict->first.run.lo <= conflict->at && conflict->at < conflict->first.run.hi) << "seed " << seed;
      EXPECT_TRUE(conflict->second.run.lo <= conflict->at && conflict->at < conflict->second.run.hi) << "seed " << seed;
    }
  }
  EXPECT_GT(found, 500);
  EXPECT_LT(found, 4500);
}

} // namespace
} // namespace streamap
