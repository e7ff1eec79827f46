// StreamMAP tests: calls worked out into tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/launch_plan.h"

#include <gtest/gtest.h>

#include "test_tasks.h"

namespace streamap {
namespace {

constexpr streamap_item count(std::int64_t n, char kind = 'C') {
  return {static_cast<std::uint8_t>(kind), STREAMAP_ITEM_COUNT, n, n};
}
constexpr streamap_item all(char kind) {
  return {static_cast<std::uint8_t>(kind), STREAMAP_ITEM_ALL, 0, 0};
}
constexpr streamap_item expression() {
  return {'C', STREAMAP_ITEM_EXPRESSION, 0, 0};
}
constexpr streamap_item numbered(std::int64_t first, std::int64_t last, char kind) {
  return {static_cast<std::uint8_t>(kind), STREAMAP_ITEM_NUMBERED, first, last};
}

class LaunchPlanTest : public testing::Test {
protected:
  Result<void> build(const TestTask &of, std::vector<streamap_item> list) {
    items = std::move(list);
    task = of.descriptor;
    task.items = items.data();
    task.nitems = static_cast<std::uint32_t>(items.size());
    return plan.build(task, &pack, {6, 0});
  }
  std::string kinds() const {
    std::string text;
    for (const PlannedTask &t : plan.tasks)
      text += t.kind == STREAMAP_KIND_ANY ? '?' : static_cast<char>(t.kind);
    return text;
  }
  alignas(64) Word field[256] = {};
  TestPack pack;
  std::vector<streamap_item> items;
  streamap_task task{};
  LaunchPlan plan;
};

TEST_F(LaunchPlanTest, ResourceLists) {
  pack.b = field;
  pack.bLength = 1;
  pack.count = 3;
  struct Case {
    std::vector<streamap_item> items;
    const char *kinds; ///< or the part of the error that matters
  };
  const Case cases[] = {
      {{}, "?"},
      {{count(3)}, "CCC"},
      {{count(2, 'G'), count(1)}, "GGC"},
      {{expression(), count(1, 'G')}, "CCCG"},
      {{all('C')}, "CCCCCC"},
      {{all('G')}, "G"},
      {{numbered(0, 1, 'G'), numbered(2, 2, 'C')}, "GGC"},
      {{numbered(2, 2, 'C'), numbered(0, 1, 'G')}, "GGC"},
      {{count(2), numbered(2, 3, 'G')}, "CCGG"},
      {{numbered(0, 0, 'G'), numbered(2, 2, 'C')}, "!task 1 of numbered has no resource"},
      {{numbered(0, 2, 'G'), numbered(1, 1, 'C')}, "!task 1 of numbered has two resources"},
      {{numbered(3, 2, 'G')}, "![3-2] names no tasks"},
      {{count(1 << 21)}, "!asks for 2097152 tasks"},
  };
  for (const Case &c : cases) {
    auto built = build(numberedTask(), c.items);
    if (c.kinds[0] == '!') {
      ASSERT_FALSE(built) << c.kinds;
      EXPECT_NE(built.error().message.find(c.kinds + 1), std::string::npos) << built.error().message;
      EXPECT_EQ(built.error().message.rfind("test.c:6: ", 0), 0u) << built.error().message;
    } else {
      ASSERT_TRUE(built) << c.kinds << ": " << built.error().message;
      EXPECT_EQ(kinds(), c.kinds);
    }
  }
}

TEST_F(LaunchPlanTest, RunTimeCounts) {
  pack.b = field;
  pack.bLength = 1;
  pack.count = 0; // the call still has to do its work
  ASSERT_TRUE(build(numberedTask(), {expression()}));
  EXPECT_EQ(kinds(), "?");
  pack.count = -1;
  EXPECT_FALSE(build(numberedTask(), {expression()}));
  pack.count = 2;
  pack.cores = 0;
  EXPECT_FALSE(build(numberedTask(), {expression()}));
}

TEST_F(LaunchPlanTest, ASplitCutsTheRangeByIndexValue) {
  pack.a = field;
  pack.b = field + 100;
  pack.aLength = 12;
  pack.first = 1;
  pack.last = 11;
  ASSERT_TRUE(build(stencilTask(), {count(4)}));
  ASSERT_EQ(plan.tasks.size(), 4u);
  std::int64_t next = 1;
  for (std::size_t k = 0; k < 4; ++k) {
    const TaskShape &shape = plan.tasks[k].shape;
    EXPECT_EQ(shape.index, static_cast<std::int64_t>(k));
    EXPECT_EQ(shape.count, 4);
    EXPECT_EQ(shape.lo, next);
    next = shape.hi;
  }
  EXPECT_EQ(next, 11);
  auto at = [](const Word *word) { return reinterpret_cast<std::uintptr_t>(word); };
  std::span<const Access> second = plan.accessesOf(plan.tasks[1]); // i = 3, 4, 5 reads 2 to 6
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0], (Access{{at(field + 2), at(field + 7)}, AccessMode::Read}));
  EXPECT_EQ(second[1], (Access{{at(field + 103), at(field + 106)}, AccessMode::ReadWrite}));
}

TEST_F(LaunchPlanTest, MoreTasksThanIndicesAndNone) {
  pack.a = field;
  pack.b = field + 100;
  pack.aLength = 12;
  pack.last = 2;
  ASSERT_TRUE(build(stencilTask(), {count(5)}));
  std::int64_t indices = 0;
  for (const PlannedTask &t : plan.tasks)
    indices += t.shape.hi - t.shape.lo;
  EXPECT_EQ(indices, 2);
  pack.last = 0;
  ASSERT_TRUE(build(stencilTask(), {count(2)}));
  EXPECT_EQ(plan.tasks.size(), 2u);
  EXPECT_TRUE(plan.accesses.empty());
}

TEST_F(LaunchPlanTest, InPlaceSplitsRunAsOneTaskWithANotice) {
  pack.a = field;
  pack.b = field;
  pack.aLength = pack.last = 40;
  ASSERT_TRUE(build(stencilTask(), {count(4, 'G')}));
  EXPECT_EQ(kinds(), "C");
  EXPECT_EQ(plan.tasks[0].shape.lo, INT64_MIN);
  EXPECT_EQ(plan.tasks[0].shape.hi, INT64_MAX);
  EXPECT_NE(plan.notice.find("stencil runs as one task"), std::string::npos) << plan.notice;
  ASSERT_TRUE(build(stencilTask(), {count(1)})); // nothing to say about one task
  EXPECT_EQ(plan.notice, "");
}

TEST_F(LaunchPlanTest, DependentTasksWithoutSplitAreAnErrorThatNamesThem) {
  pack.b = field;
  pack.bLength = 4;
  TestTask &overlapping = numberedTask();
  ASSERT_TRUE(build(overlapping, {count(3)}));
  task.sections = mixTask().descriptor.sections; // every task the same bytes
  auto built = plan.build(task, &pack, {6, 0});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().message,
            "test.c:6: tasks 0 and 1 of numbered are not independent: task 0 writes b[0], task 1 writes b[0], "
            "which is the same memory");
}

TEST_F(LaunchPlanTest, SectionsThatCannotBe) {
  pack.b = field;
  pack.bLower = INT64_MAX - 1;
  pack.bLength = 1;
  auto built = build(mixTask(), {count(1)});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().message, "test.c:1: a section of b in mix leaves the 64-bit address space");
}

TEST_F(LaunchPlanTest, ExactReductionsGetOnePartialATask) {
  pack.a = field;
  pack.s = field + 128;
  pack.sLower = 2;
  pack.sLength = 3;
  pack.last = 30;
  ASSERT_TRUE(build(xorTask(), {count(4)}));
  ASSERT_EQ(plan.reductions.size(), 1u);
  const ReductionPlan &reduction = plan.reductions[0];
  EXPECT_EQ(plan.combinedBlocks, 4);
  EXPECT_EQ(plan.partialCount, 4);
  EXPECT_EQ(reduction.offset, 8);
  EXPECT_EQ(reduction.hull.bytes(), 12u);
  EXPECT_EQ(reduction.partials % 64, reduction.hull.lo % 64);
  EXPECT_EQ(plan.accessesOf(plan.tasks[2]).size(), 2u);
  ASSERT_TRUE(build(xorTask(), {count(1)})); // one task reduces into the target
  EXPECT_TRUE(plan.reductions.empty());
  EXPECT_EQ(plan.accessesOf(plan.tasks[0]).back().mode, AccessMode::ReadWrite);
}

TEST_F(LaunchPlanTest, AReductionWhoseTargetIsReadRunsWhole) {
  pack.a = field;
  pack.s = field + 10;
  pack.sLength = 1;
  pack.last = 30;
  ASSERT_TRUE(build(xorTask(), {count(4)}));
  EXPECT_EQ(plan.tasks.size(), 1u);
  EXPECT_TRUE(plan.reductions.empty());
}

TEST(ReductionBlocks, DependOnTheRangeAndTheSectionAlone) {
  EXPECT_EQ(reductionBlocks(1000000, 8), 256);
  EXPECT_EQ(reductionBlocks(100, 8), 100);
  EXPECT_EQ(reductionBlocks(0, 8), 0);
  EXPECT_EQ(reductionBlocks(1000000, std::uint64_t{16} << 20), 16);
  EXPECT_EQ(reductionBlocks(1000000, std::uint64_t{1} << 40), 4);
  EXPECT_TRUE(dependsOnOrder(STREAMAP_OP_ADD, STREAMAP_F32));
  EXPECT_TRUE(dependsOnOrder(STREAMAP_OP_MUL, STREAMAP_C64));
  EXPECT_FALSE(dependsOnOrder(STREAMAP_OP_MAX, STREAMAP_F64));
  EXPECT_FALSE(dependsOnOrder(STREAMAP_OP_ADD, STREAMAP_I32));
}

} // namespace
} // namespace streamap
