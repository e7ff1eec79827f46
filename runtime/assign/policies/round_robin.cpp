// StreamMAP runtime: the policy `round-robin`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policies/all.h"

namespace streamap {
namespace {

/// Whoever was given nothing for longest. Simple to foresee: for comparisons and for bugs.
class RoundRobin final : public Policy {
public:
  std::string_view name() const override { return "round-robin"; }
  std::string_view meaning() const override { return "each in turn, passing over those without room"; }
  Rating rating(const Load &load) const override { return {static_cast<double>(load.turn), 0}; }

  Verdict compare(const Offer &a, const Offer &b) const override {
    if (const int turn = order(a.load->turn, b.load->turn))
      return {turn, PlacementReason::NextInTurn};
    return byNumber(a, b);
  }
};

} // namespace

const Policy &roundRobin() {
  static const RoundRobin policy;
  return policy;
}

} // namespace streamap
