// StreamMAP runtime: what the head notes for STREAMAP_RECORD.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "graph/descriptor.h"
#include "graph/reduction.h"
#include "head/state.h"
#include "observe/graph_record.h"

namespace streamap {

/// The tasks of the launch have the events from \p first on: its bodies, then what combines its partials.
void HeadState::recordLaunch(const LaunchPlan &plan, const LaunchPack &pack, EventId first) const {
  const auto costOf = thunkOf(*pack.task, &streamap_task::cost);
  const double cost = costOf ? std::max(0.0, costOf(pack.bytes.data())) : 0;
  std::vector<GraphRecord::Task> tasks;
  for (const PlannedTask &planned : plan.tasks) {
    GraphRecord::Task task;
    task.id = EventId{first.value + tasks.size()};
    task.kind = planned.kind;
    task.cores = plan.cores;
    task.share = plan.share;
    task.cost = cost * plan.partOf(planned);
    const auto accesses = plan.accessesOf(planned);
    task.accesses.assign(accesses.begin(), accesses.end());
    tasks.push_back(std::move(task));
  }
  const std::size_t bodies = tasks.size();
  setup.record->launched(*pack.task, plan.priority, std::move(tasks));
  std::vector<GraphRecord::Task> combinations;
  for (const ReductionPlan &reduction : plan.reductions) {
    GraphRecord::Task task;
    task.id = EventId{first.value + bodies + combinations.size()};
    task.kind = STREAMAP_KIND_C;
    combinationAccesses(plan, reduction, task.accesses);
    combinations.push_back(std::move(task));
  }
  if (!combinations.empty())
    setup.record->launched(combineTask, plan.priority, std::move(combinations));
}

} // namespace streamap
