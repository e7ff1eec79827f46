// StreamMAP tests: events, and tasks in the order of their urgency.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/event_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "exec/ready_queue.h"

namespace streamap {
namespace {

std::vector<int> released(EventTable<int> &table, std::uint64_t event) {
  std::vector<int> waiters;
  table.happen(EventId{event}, [&](int waiter) { waiters.push_back(waiter); });
  return waiters;
}

TEST(EventTable, ZeroHasAlwaysHappenedAndNothingElseHas) {
  EventTable<int> table;
  EXPECT_TRUE(table.hasHappened(happened));
  EXPECT_FALSE(table.hasHappened(EventId{1}));
  EXPECT_FALSE(table.hasHappened(EventId{1'000'000}));
}

TEST(EventTable, ReleasesInTheOrderOfWaiting) {
  EventTable<int> table;
  for (int waiter : {1, 2, 3})
    table.await(EventId{7}, waiter);
  EXPECT_EQ(released(table, 7), (std::vector{1, 2, 3}));
  EXPECT_TRUE(table.hasHappened(EventId{7}));
  EXPECT_TRUE(released(table, 7).empty()) << "told twice";
}

TEST(EventTable, NewsMayComeBeforeAnyoneAsks) {
  EventTable<int> table;
  EXPECT_TRUE(released(table, 5000).empty());
  EXPECT_TRUE(table.hasHappened(EventId{5000}));
  EXPECT_FALSE(table.hasHappened(EventId{4999}));
}

TEST(EventTable, ForgettingBoundsTheRing) {
  EventTable<int> table;
  const std::size_t before = table.capacity();
  for (std::uint64_t event = 1; event < 1'000'000; ++event) {
    released(table, event);
    if (event % 100 == 0) {
      table.forget(EventId{event}, [](int) { FAIL() << "nobody waits"; });
    }
  }
  EXPECT_EQ(table.capacity(), before);
  EXPECT_TRUE(table.hasHappened(EventId{3}));
}

TEST(EventTable, AForgottenEventHasHappened) {
  EventTable<int> table;
  table.await(EventId{9}, 1);
  table.await(EventId{10}, 2);
  std::vector<int> free;
  table.forget(EventId{10}, [&](int waiter) { free.push_back(waiter); });
  EXPECT_EQ(free, (std::vector{1})) << "the news may come after the head has said that it is old";
  EXPECT_TRUE(table.hasHappened(EventId{9}));
  EXPECT_EQ(released(table, 10), (std::vector{2}));
}

TEST(EventTable, AgreesWithASetWhateverHappens) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    EventTable<int> table;
    std::set<std::uint64_t> done;
    std::map<std::uint64_t, std::vector<int>> waiting;
    std::uint64_t base = 1, span = 1 + random() % 5000;
    for (int step = 0; step < 2000; ++step) {
      const std::uint64_t event = base + random() % span;
      switch (random() % 4) {
      case 0:
        EXPECT_EQ(released(table, event), waiting[event]) << "seed " << seed;
        waiting.erase(event);
        done.insert(event);
        break;
      case 1:
        if (!done.contains(event)) {
          table.await(EventId{event}, step);
          waiting[event].push_back(step);
        }
        break;
      case 2:
        EXPECT_EQ(table.hasHappened(EventId{event}), done.contains(event)) << "seed " << seed << " event " << event;
        break;
      default:
        while (done.contains(base))
          ++base;
        table.forget(EventId{base}, [&](int) { FAIL() << "seed " << seed; });
      }
    }
  }
}

TEST(ReadyQueue, MostUrgentFirstThenProgramOrder) {
  ReadyQueue<int> queue;
  queue.push(1, 0, 10);
  queue.push(2, 5, 12);
  queue.push(3, 0, 9);
  queue.push(4, 5, 11);
  queue.push(5, -1, 1);
  std::vector<int> order;
  while (!queue.empty())
    order.push_back(queue.pop());
  EXPECT_EQ(order, (std::vector{4, 2, 3, 1, 5}));
}

} // namespace
} // namespace streamap
