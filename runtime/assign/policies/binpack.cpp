// StreamMAP runtime: the policy `binpack`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policies/all.h"

namespace streamap {
namespace {

/// Fills one processor before it begins the next, so that whole ones stay free: the most used one where the task could start at
/// once. Where it could not start anywhere, the least used one.
class BinPack final : public Policy {
public:
  std::string_view name() const override { return "binpack"; }
  std::string_view meaning() const override { return "the most used one where it can start at once, so that others stay free"; }
  Rating rating(const Load &load) const override {
    const bool full = load.competing >= load.capacity;
    return {full ? 1.0 : 0.0, full ? load.use() : -load.use()};
  }
  bool prefersFitting() const override { return true; }

  Verdict compare(const Offer &a, const Offer &b) const override {
    if (const int room = order(!a.fits, !b.fits))
      return {room, PlacementReason::StartsAtOnce};
    if (const int used = order(a.load->use(), b.load->use()))
      return a.fits ? Verdict{-used, PlacementReason::MostUsed} : Verdict{used, PlacementReason::FewestTasks};
    if (const int memory = order(a.load->freeMemory(), b.load->freeMemory()); memory && a.fits)
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
