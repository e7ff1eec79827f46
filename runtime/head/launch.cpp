// StreamMAP runtime: from a call of main to tasks in the graph.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <cstring>

#include "exec/float_mode.h"
#include "graph/descriptor.h"
#include "head/state.h"
#include "observe/graph_record.h"

namespace streamap {
namespace {

/// Events that may be kept for one that does not come (a task that runs much longer than all others) before launches wait for it.
constexpr std::uint64_t mostEventsKept = std::uint64_t{1} << 22;

std::string gpuNotice(const streamap_task &task, const std::string &reason) {
  return placeOf(task) + task.name + " asks for a GPU, and none can be used" + (reason.empty() ? "" : " (" + reason + ")") +
         ": its C version runs instead";
}

std::vector<ReductionPart> reductionParts(const LaunchPlan &plan, const PlannedTask &planned) {
  std::vector<ReductionPart> parts;
  for (const ReductionPlan &reduction : plan.reductions)
    parts.push_back({reduction.param, reduction.op, reduction.scalar, reduction.hull.bytes() / scalarBytes(reduction.scalar),
                     reduction.stride, reduction.partials + static_cast<std::uint64_t>(planned.firstBlock) * reduction.stride,
                     reduction.offset});
  return parts;
}

} // namespace

std::string placeOf(const streamap_task &task) {
  return std::string(task.file ? task.file : "?") + ":" + std::to_string(task.line) + ": ";
}

std::shared_ptr<LaunchPack> HeadState::packFor(const streamap_task &task, std::vector<std::byte> bytes) const {
  auto pack = std::make_shared<LaunchPack>();
  if (!alone && setup.keyOf)
    pack->key = setup.keyOf(task);
  pack->task = &task;
  pack->floatMode = floatMode();
  pack->bytes = std::move(bytes);
  return pack;
}

Outcome HeadState::launch(const streamap_task &task, const void *pack) {
  if (closed) // also keeps destructors that launch away from thread-local storage that is gone
    return Outcome::Inline;
  thread_local LaunchPlan plan;
  if (auto built = plan.build(task, pack, clusterSize); !built) {
    std::unique_lock lock(mutex);
    return fail(lock, built.error().message);
  }
  if (plan.cores > widestRank) {
    std::unique_lock lock(mutex);
    return fail(lock, placeOf(task) + task.name + " wants " + std::to_string(plan.cores) +
                          " cores for a task, but the rank with the most slots has " + std::to_string(widestRank));
  }
  auto *bytes = static_cast<const std::byte *>(pack);
  std::shared_ptr<LaunchPack> shared = packFor(task, {bytes, bytes + task.pack_size});
  std::vector<std::string> notices;
  EventId behind;
  {
    std::unique_lock lock(mutex);
    makeRoom(lock);
    if (failed)
      return Outcome::Failed;
    const Demands demands = alone ? demandsAlone(plan) : demandsOf(plan, task);
    if (demands.isMissing() && setup.missingGpuIsError)
      return fail(lock, placeOf(task) + task.name + " asks for a GPU, and none can be used" +
                            (demands.reason.empty() ? "" : ": " + demands.reason));
    shared->launch = ++launches;
    noteOwned(plan, task);
    notices = noticesFor(plan, task, demands);
    const EventId first = log.next();
    if (setup.record)
      recordLaunch(plan, *shared, first);
    if (alone) {
      giveAllHere(plan, shared, lock);
    } else {
      queueAll(plan, shared, demands);
      placeAll();
    }
    behind = log.next();
  }
  plan.reductions.clear(); // their buffers go with their tasks
  setup.desk.flush();
  for (const std::string &text : notices)
    setup.notice(text);
  if (!setup.sync)
    return Outcome::Done;
  Waiter waiter;
  waiter.below = behind;
  std::unique_lock lock(mutex);
  return wait(lock, waiter);
}

/// Waits, or helps, while too many tasks are unfinished, so that memory stays flat.
void HeadState::makeRoom(std::unique_lock<AdaptiveMutex> &lock) {
  while (!failed && (unfinished.load(std::memory_order_relaxed) >= setup.maxTasks || log.window() >= mostEventsKept)) {
    lock.unlock();
    setup.desk.flush();
    bool helped = setup.desk.helpLocally();
    lock.lock();
    if (helped)
      continue;
    // Room for some at once: to wake for every single task would cost more than the tasks.
    Waiter waiter;
    waiter.tasksAtMost = setup.maxTasks - setup.maxTasks / 8 - 1;
    if (log.window() >= mostEventsKept)
      waiter.below = EventId{log.low().value + mostEventsKept / 8};
    waiters.wait(lock, waiter, [this](const Waiter &w) { return satisfied(w); });
  }
}

Task *HeadState::newBody(const LaunchPlan &plan, const PlannedTask &planned, const std::shared_ptr<const LaunchPack> &pack) {
  Task *task = pool.take();
  task->id = log.add(task);
  task->pack = pack;
  task->shape = planned.shape;
  task->cores = plan.cores;
  task->priority = plan.priority;
  task->reductions = reductionParts(plan, planned);
  unfinished.fetch_add(1, std::memory_order_relaxed);
  return task;
}

/// What the task that combines the partials of one reduction uses.
void HeadState::combinationAccesses(const LaunchPlan &plan, const ReductionPlan &reduction, std::vector<Access> &accesses) {
  HomeAddress used = reduction.partials + static_cast<std::uint64_t>(plan.combinedBlocks) * reduction.stride;
  HomeAddress end = reduction.partials + static_cast<std::uint64_t>(plan.partialCount) * reduction.stride;
  accesses.clear();
  if (reduction.partials < used)
    accesses.push_back({{reduction.partials, used}, AccessMode::Read});
  if (used < end)
    accesses.push_back({{used, end}, AccessMode::Write});
  for (ByteRun run : reduction.target)
    accesses.push_back({run, AccessMode::ReadWrite});
  uniteAccesses(accesses, 0);
}

/// The task that combines the partials of one reduction. It also follows the tasks whose partials it leaves alone, because the
/// partials go when it has finished.
Task *HeadState::newCombination(const LaunchPlan &plan, const ReductionPlan &reduction, std::vector<Access> &accesses) {
  Task *task = pool.take();
  task->id = log.add(task);
  std::shared_ptr<LaunchPack> pack = packFor(combineTask, combinePack(reduction, plan.combinedBlocks));
  pack->launch = launches;
  task->pack = std::move(pack);
  task->priority = plan.priority;
  task->partials.push_back(reduction.buffer);
  HomeAddress end = reduction.partials + static_cast<std::uint64_t>(plan.partialCount) * reduction.stride;
  task->scratch.push_back({reduction.partials, end});
  combinationAccesses(plan, reduction, accesses);
  unfinished.fetch_add(1, std::memory_order_relaxed);
  return task;
}

/// One rank: every task goes to it at once, with the tasks that it must follow; the rank knows when they have finished.
void HeadState::giveAllHere(const LaunchPlan &plan, const std::shared_ptr<const LaunchPack> &pack,
                            std::unique_lock<AdaptiveMutex> &lock) {
  std::vector<RunOrder> orders;
  orders.reserve(plan.tasks.size() + plan.reductions.size());
  thread_local std::vector<Predecessor> predecessors;
  auto give = [&](Task &task, std::span<const Access> accesses) {
    task.stage = TaskStage::Placed;
    task.rank = headRank;
    predecessors.clear();
    dependences.add(task.id, accesses, asksDone(), predecessors);
    RunOrder &order = orders.emplace_back();
    order.task = task.id;
    order.pack = task.pack;
    order.shape = task.shape;
    order.priority = task.priority;
    order.cores = task.cores;
    order.reductions = std::move(task.reductions);
    order.after.reserve(predecessors.size());
    for (Predecessor predecessor : predecessors)
      order.after.push_back(predecessor.task);
  };
  for (const PlannedTask &planned : plan.tasks)
    give(*newBody(plan, planned, pack), plan.accessesOf(planned));
  std::vector<Access> accesses;
  for (const ReductionPlan &reduction : plan.reductions) {
    Task *task = newCombination(plan, reduction, accesses);
    give(*task, accesses);
  }
  lock.unlock(); // an order may wake a slot, which takes long
  for (RunOrder &order : orders)
    setup.desk.run(headRank, std::move(order));
  lock.lock();
}

void HeadState::queueAll(const LaunchPlan &plan, const std::shared_ptr<const LaunchPack> &pack, const Demands &demands) {
  const auto costOf = thunkOf(*pack->task, &streamap_task::cost);
  const double cost = costOf ? std::max(0.0, costOf(pack->bytes.data())) : 0;
  Version version = newVersion(); // tasks of one launch write different bytes
  for (const PlannedTask &planned : plan.tasks) {
    Task *task = newBody(plan, planned, pack);
    std::span<const Access> accesses = plan.accessesOf(planned);
    task->accesses.assign(accesses.begin(), accesses.end());
    task->version = version;
    describe(*task, plan, planned, demands, cost);
    enter(*task);
  }
  version = newVersion();
  for (const ReductionPlan &reduction : plan.reductions) {
    std::vector<Access> accesses;
    Task *task = newCombination(plan, reduction, accesses);
    task->accesses = std::move(accesses);
    task->version = version;
    task->demand = task->coresDemand = combinationDemand();
    enter(*task);
  }
}

/// The bytes of the launch belong to the runtime from now on.
void HeadState::noteOwned(const LaunchPlan &plan, const streamap_task &task) {
  auto note = [&](ByteRun run) {
    if (alone && (run.hi <= mainStack.lo || run.lo >= mainStack.hi))
      return;
    bool covered = false;
    owned.forEachIn(run, [&](ByteRun part, const streamap_task *) { covered |= part == run; });
    if (covered)
      return;
    owned.assign(run, &task);
    owned.mergeIn(run);
  };
  for (const Access &access : plan.accesses)
    note(access.run);
  for (const ReductionPlan &reduction : plan.reductions) {
    for (ByteRun run : reduction.target)
      note(run);
    owned.erase({reduction.partials, reduction.partials + static_cast<std::uint64_t>(plan.partialCount) * reduction.stride});
  }
}

std::vector<std::string> HeadState::noticesFor(const LaunchPlan &plan, const streamap_task &task, const Demands &demands) {
  std::vector<std::string> notices;
  if (!setup.notice)
    return notices;
  if (demands.isMissing() && noticed.emplace(&task, Subject::NoGpu).second)
    notices.push_back(gpuNotice(task, demands.reason));
  if (!plan.notice.empty() && noticed.emplace(&task, Subject::RunsWhole).second)
    notices.push_back(plan.notice);
  return notices;
}

Outcome Head::launch(const streamap_task &task, const void *pack) {
  const RecordedCall call(state->setup.record);
  return state->launch(task, pack);
}

} // namespace streamap
