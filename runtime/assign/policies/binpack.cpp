// StreamMAP runtime: the policy `binpack`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policies/all.h"

namespace streamap {
namespace {

/// Fills one processor before it begins the next, so that whole ones stay free: the most used one where the task can start at
/// once. If there is none, the task waits.
class BinPack final : public Policy {
public:
  std::string_view name() const override { return "binpack"; }
  std::string_view meaning() const override { return "the most used one where it can start at once, so that others stay free"; }
  Rating rating(const Load &load) const override { return {-load.use(), static_cast<double>(load.freeMemory().value)}; }
  bool prefersFitting() const override { return true; }
  bool onlyFitting() const override { return true; }

  Verdict compare(const Offer &a, const Offer &b) const override {
    if (const int room = order(!a.fits, !b.fits))
      return {room, PlacementReason::StartsAtOnce};
    if (const int used = order(b.load->use(), a.load->use()))
      return {used, PlacementReason::MostUsed};
    const bool counted = a.load->memory != Bytes{} && b.load->memory != Bytes{};
    if (const int memory = order(a.load->freeMemory(), b.load->freeMemory()); memory && counted)
      return {memory, PlacementReason::MostUsed};
    return byNumber(a, b);
  }
};

} // namespace

const Policy &binPack() {
  static const BinPack policy;
  return policy;
}

} // namespace streamap
