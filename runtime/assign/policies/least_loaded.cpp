// StreamMAP runtime: the policy `least-loaded`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policies/all.h"

namespace streamap {
namespace {

/// The fewest competing tasks for what can run at a time, where memory and share are free if that is anywhere; then where its
/// data is near.
class LeastLoaded final : public Policy {
public:
  std::string_view name() const override { return "least-loaded"; }
  std::string_view meaning() const override {
    return "the fewest competing tasks, where memory and share are free; then where its data is near";
  }
  Rating rating(const Load &load) const override { return {load.strandsPerLane(), 0}; }
  bool prefersFitting() const override { return true; }

  Verdict compare(const Offer &a, const Offer &b) const override {
    if (const int room = order(!a.fits, !b.fits))
      return {room, PlacementReason::StartsAtOnce};
    if (const int busy = order(a.rivals(), b.rivals()))
      return {busy, PlacementReason::FewestTasks};
    if (const int data = order(a.bringing, b.bringing))
      return {data, PlacementReason::NearestData};
    return byNumber(a, b);
  }
};

} // namespace

const Policy &leastLoaded() {
  static const LeastLoaded policy;
  return policy;
}

} // namespace streamap
