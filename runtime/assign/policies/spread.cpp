// StreamMAP runtime: the policy `spread`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/policies/all.h"

namespace streamap {
namespace {

/// As far apart as possible: the node with the fewest tasks on processors of that kind, there the processor with the fewest.
/// However many run at a time: what counts is that little is lost or disturbed with one of them.
class Spread final : public Policy {
public:
  std::string_view name() const override { return "spread"; }
  std::string_view meaning() const override { return "the node with the fewest tasks, and there the processor with the fewest"; }
  Rating rating(const Load &load) const override {
    return {static_cast<double>(load.nodeTasks), static_cast<double>(load.tasks)};
  }
  bool ratesNodes() const override { return true; }

  Verdict compare(const Offer &a, const Offer &b) const override {
    if (const int node = order(a.load->nodeTasks, b.load->nodeTasks))
      return {node, PlacementReason::QuietestNode};
    if (const int tasks = order(a.load->tasks, b.load->tasks))
      return {tasks, PlacementReason::FewestTasks};
    return byNumber(a, b);
  }
};

} // namespace

const Policy &spread() {
  static const Spread policy;
  return policy;
}

} // namespace streamap
