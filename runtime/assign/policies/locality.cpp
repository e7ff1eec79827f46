// StreamMAP runtime: the policy `locality`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policies/all.h"

namespace streamap {
namespace {

/// Where its data is, or where it is brought soonest, if there is room; of those alike the least loaded.
class Locality final : public Policy {
public:
  std::string_view name() const override { return "locality"; }
  std::string_view meaning() const override {
    return "where its data is nearest, as long as there is room; then the fewest tasks";
  }
  Rating rating(const Load &load) const override { return {load.strandsPerLane(), 0}; }

  Verdict compare(const Offer &a, const Offer &b) const override {
    if (const int data = order(a.bringing, b.bringing))
      return {data, PlacementReason::NearestData};
    if (const int busy = order(a.rivals(), b.rivals()))
      return {busy, PlacementReason::FewestTasks};
    return byNumber(a, b);
  }
};

} // namespace

const Policy &locality() {
  static const Locality policy;
  return policy;
}

} // namespace streamap
