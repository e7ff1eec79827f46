// StreamMAP runtime: the policy `eft`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "assign/policies/all.h"

namespace streamap {
namespace {

/// Where the task would be done first, by what is known of its run time, its data's way, and what is ahead of it. Where nobody
/// knows how long it takes, it is tried early, one task at a time.
class EarliestFinish final : public Policy {
public:
  std::string_view name() const override { return "eft"; }
  std::string_view meaning() const override {
    return "earliest finish: what is ahead of it, its data's way there, and its run time as measured";
  }
  Rating rating(const Load &load) const override {
    return {load.competing < load.capacity ? 0 : load.freeAt, load.strandsPerLane()};
  }
  bool waits() const override { return true; }
  bool prefersFitting() const override { return true; }

  Verdict compare(const Offer &a, const Offer &b) const override {
    if (const int known = order(!a.untried, !b.untried))
      return {known, PlacementReason::Untried};
    if (const int finish = order(ticks(a.finish), ticks(b.finish)))
      return {finish, PlacementReason::EarliestFinish};
    if (const int room = order(!a.fits, !b.fits))
      return {room, PlacementReason::StartsAtOnce};
    if (const int data = order(a.bringing, b.bringing))
      return {data, PlacementReason::NearestData};
    if (const int busy = order(a.rivals(), b.rivals()))
      return {busy, PlacementReason::FewestTasks};
    return byNumber(a, b);
  }

private:
  /// Microseconds: estimates are no better than that.
  static std::int64_t ticks(Seconds time) { return std::llround(time * 1e6); }
};

} // namespace

const Policy &earliestFinish() {
  static const EarliestFinish policy;
  return policy;
}

} // namespace streamap
