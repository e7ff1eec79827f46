// StreamMAP tests: task functions with descriptors as streamap-cc would write them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "streamap/abi.h"

namespace streamap {

using Word = std::uint32_t;

/// The arguments of every test task. Sections are in words; which of them a task uses depends on its descriptor.
struct TestPack {
  const Word *a = nullptr; ///< in
  Word *b = nullptr;       ///< out or inout
  Word *s = nullptr;       ///< reduction, or a second inout
  std::int64_t aLower = 0, aLength = 0;
  std::int64_t bLower = 0, bLength = 0;
  std::int64_t sLower = 0, sLength = 0;
  std::int64_t first = 0, last = 0, step = 1; ///< the split loop: first <= i < last, or downwards with step < 0
  std::int64_t pitch = 1, rows = 1;
  std::int64_t count = 1, priority = 0, cores = 1;
  std::int64_t gpuCount = 0; ///< tasks for GPUs, behind the `count` for CPUs
  Word salt = 0;
};

/// One task function.
struct TestTask {
  streamap_task descriptor{};
  std::vector<streamap_item> items;
  /// What the serial program does: the same body on other addresses, run once a task, in order.
  void runSerially(const TestPack &pack, std::int64_t tasks) const;
};

/// b[bLower:bLength] = mix(b, all of a[aLower:aLength]): inout, one task.
TestTask &mixTask();
/// The same with out: b's old contents are not read.
TestTask &fillTask();
/// split(i) in(a[i-1:3] clipped to [0, aLength)) inout(b[i]).
TestTask &stencilTask();
/// split(i) in(a[2i:2]) inout(b[i*pitch : bLength]), a loop that may go down and may step.
TestTask &stridedTask();
/// inout(b[0:rows][bLower:bLength] with pitch words a row), one task.
TestTask &columnsTask();
/// count tasks without split: task k does inout(b[bLower + k*bLength : bLength]).
TestTask &numberedTask();
/// split(i) in(a[i]) inout(b[i]) reduction(+: s[sLower:sLength]).
TestTask &sumTask();
/// split(i) in(a[i]) reduction(^: s[sLower:sLength]) with in(a) only.
TestTask &xorTask();
/// split(i) in(a[i]) reduction(+: s[0:1]), where a and s are doubles.
TestTask &doubleSumTask();
/// in(a[aLower:aLength]); throws an exception.
TestTask &failingTask();

/// Makes the tasks that random programs on several ranks use known, as a constructor of generated code would.
void registerTestTasks();

} // namespace streamap
