// StreamMAP runtime: tasks of one launch must not touch what another of them writes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/independence.h"

#include <algorithm>
#include <array>
#include <utility>

namespace streamap {
namespace {

/// Tasks and reductions that may touch the same bytes freely only by themselves.
std::uint64_t ownerOf(const Touch &touch) {
  return touch.kind == Touch::Kind::Reduce ? (std::uint64_t{1} << 32) + touch.reduction : touch.task;
}

bool writes(const Touch &touch) {
  return touch.kind != Touch::Kind::Read;
}

/// Of the touches seen so far, those that reach furthest, for two different owners: whoever comes next is not the owner of at
/// least one of them.
class Furthest {
public:
  const Touch *otherThan(std::uint64_t owner) const {
    for (const Touch *touch : best)
      if (touch && ownerOf(*touch) != owner)
        return touch;
    return nullptr;
  }
  void add(const Touch &touch) {
    if (best[0] && ownerOf(*best[0]) == ownerOf(touch)) {
      if (touch.run.hi > best[0]->run.hi)
        best[0] = &touch;
      return;
    }
    if (!best[0] || touch.run.hi > best[0]->run.hi) {
      best[1] = std::exchange(best[0], &touch);
    } else if (!best[1] || touch.run.hi > best[1]->run.hi) {
      best[1] = &touch;
    }
  }

private:
  std::array<const Touch *, 2> best{};
};

} // namespace

std::optional<Conflict> findConflict(std::vector<Touch> &touches) {
  auto before = [](const Touch &a, const Touch &b) { return std::pair(a.run.lo, a.task) < std::pair(b.run.lo, b.task); };
  if (!std::is_sorted(touches.begin(), touches.end(), before))
    std::sort(touches.begin(), touches.end(), before);
  Furthest writers, all;
  for (const Touch &touch : touches) {
    const Touch *other = (writes(touch) ? all : writers).otherThan(ownerOf(touch));
    if (other && other->run.hi > touch.run.lo) {
      Conflict found{*other, touch, touch.run.lo};
      if (found.first.task > found.second.task)
        std::swap(found.first, found.second);
      return found;
    }
    all.add(touch);
    if (writes(touch))
      writers.add(touch);
  }
  return std::nullopt;
}

} // namespace streamap
