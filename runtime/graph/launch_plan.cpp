// StreamMAP runtime: one call of a task function, worked out: how many tasks, which indices, which bytes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/launch_plan.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "device/layout.h"
#include "exec/current_task.h"
#include "graph/descriptor.h"

namespace streamap {
namespace {

__extension__ using Wide = __int128;

/// Tasks of one launch. More than any cluster has slots, few enough that a slip in an expression is told, not tried.
constexpr std::int64_t mostTasks = 1 << 20;

std::int32_t clampToInt32(std::int64_t value) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

} // namespace

std::string LaunchPlan::where() const {
  return std::string(descriptor->file ? descriptor->file : "?") + ":" + std::to_string(descriptor->line) + ": ";
}

tl::unexpected<Error> LaunchPlan::fail(const std::string &text) const {
  return failure(where() + text);
}

const streamap_param &LaunchPlan::param(std::uint32_t index) const {
  std::uint32_t count = 0;
  const streamap_param *all = paramsOf(*descriptor, count);
  assert(index < count);
  return all[index];
}

Result<void> LaunchPlan::build(const streamap_task &task, const void *pack, const ClusterSize &cluster) {
  descriptor = &task;
  arguments = pack;
  size = &cluster;
  tasks.clear();
  accesses.clear();
  reductions.clear();
  combinedBlocks = partialCount = 0;
  notice.clear();
  auto priorityOf = thunkOf(task, &streamap_task::priority);
  auto coresOf = thunkOf(task, &streamap_task::cores);
  priority = priorityOf ? clampToInt32(priorityOf(pack)) : 0;
  auto shareOf = thunkOf(task, &streamap_task::share);
  cores = coresOf ? clampToInt32(coresOf(pack)) : 1;
  share = shareOf ? clampToInt32(shareOf(pack)) : 100;
  if (cores < 1)
    return fail("cores(" + std::to_string(cores) + ") of " + task.name + ": a task needs at least one core");
  if (share < 1 || share > 100)
    return fail("share(" + std::to_string(share) + ") of " + task.name + ": a task takes 1 to 100 percent of a device");
  if (auto counted = countTasks(); !counted)
    return counted;
  readRange();
  partials = wantsPartials();
  cut();
  if (auto collected = collect(); !collected)
    return collected;
  if (partials)
    layOutPartials();
  return {};
}

// ---- How many tasks

Result<void> LaunchPlan::countTasks() {
  std::span<const streamap_item> items(descriptor->items, descriptor->nitems);
  if (items.empty()) {
    tasks.emplace_back();
    return {};
  }
  std::vector<std::int64_t> counts(items.size(), 0);
  auto count = thunkOf(*descriptor, &streamap_task::counts);
  if (count && std::any_of(items.begin(), items.end(), [](auto &item) { return item.form == STREAMAP_ITEM_EXPRESSION; }))
    count(arguments, counts.data());
  for (std::size_t k = 0; k < items.size(); ++k) {
    const streamap_item &item = items[k];
    if (item.form == STREAMAP_ITEM_COUNT)
      counts[k] = item.first;
    else if (item.form == STREAMAP_ITEM_ALL)
      counts[k] = std::max<std::int64_t>(1, item.kind == STREAMAP_KIND_G ? size->devices : size->slots);
    if (counts[k] < 0 || counts[k] > mostTasks)
      return fail("the resource list of " + std::string(descriptor->name) + " asks for " + std::to_string(counts[k]) +
                  " tasks; a number from 0 to " + std::to_string(mostTasks) + " can be had");
  }
  if (auto numbered = numberTasks(counts); !numbered)
    return numbered;
  if (tasks.empty()) // run-time counts of 0: the call still has to do its work
    tasks.emplace_back();
  return {};
}

Result<void> LaunchPlan::numberTasks(std::span<const std::int64_t> counts) {
  constexpr std::uint8_t nobody = 0xff;
  std::string name = descriptor->name;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const streamap_item &item = descriptor->items[k];
    std::int64_t first = static_cast<std::int64_t>(tasks.size()), last = first + counts[k] - 1;
    if (item.form == STREAMAP_ITEM_NUMBERED) {
      first = item.first;
      last = item.last;
      if (first < 0 || last < first)
        return fail("[" + std::to_string(first) + "-" + std::to_string(last) + "] names no tasks of " + name);
    }
    if (last >= mostTasks)
      return fail("the resource list of " + name + " asks for more than " + std::to_string(mostTasks) + " tasks");
    if (last >= static_cast<std::int64_t>(tasks.size())) {
      PlannedTask unnamed;
      unnamed.kind = nobody;
      tasks.resize(static_cast<std::size_t>(last) + 1, unnamed);
    }
    for (std::int64_t number = first; number <= last; ++number) {
      std::uint8_t &kind = tasks[static_cast<std::size_t>(number)].kind;
      if (kind != nobody)
        return fail("task " + std::to_string(number) + " of " + name + " has two resources");
      kind = item.kind;
    }
  }
  for (std::size_t number = 0; number < tasks.size(); ++number)
    if (tasks[number].kind == nobody)
      return fail("task " + std::to_string(number) + " of " + name + " has no resource, but a task with a higher number has");
  return {};
}

// ---- Which indices

void LaunchPlan::readRange() {
  grids.clear();
  range = {};
  auto readGrids = thunkOf(*descriptor, &streamap_task::grids);
  split = readGrids != nullptr;
  if (!split)
    return;
  grids.resize(8);
  for (;;) {
    std::uint32_t count = readGrids(arguments, grids.data(), static_cast<std::uint32_t>(grids.size()));
    bool all = count <= grids.size();
    grids.resize(count);
    if (all)
      break;
  }
  std::erase_if(grids, [](const streamap_grid &grid) { return grid.count <= 0; });
  if (grids.empty())
    return;
  std::int64_t lo = INT64_MAX, last = INT64_MIN;
  for (const streamap_grid &grid : grids) {
    lo = std::min(lo, grid.first);
    last = std::max(last, grid.first + (grid.count - 1) * grid.step);
  }
  // A range of 2^64 indices would need one more bit; the last index of such a loop is never reached by a program anyway.
  range = {lo, static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(lo) + (last != INT64_MAX ? 1 : 0)};
}

/// Whether reductions go through partials. One task without blocks reduces straight into the target, exactly like cc.
bool LaunchPlan::wantsPartials() const {
  std::uint32_t count = 0;
  const streamap_param *all = paramsOf(*descriptor, count);
  bool any = false, ordered = false;
  for (const streamap_param &p : std::span(all, count)) {
    if (!(p.access & STREAMAP_REDUCTION))
      continue;
    any = true;
    ordered |= dependsOnOrder(p.op, p.scalar);
  }
  return any && (tasks.size() > 1 || (split && ordered));
}

double LaunchPlan::partOf(const PlannedTask &task) const {
  if (!split || range.length == 0 || task.shape.lo == INT64_MIN)
    return 1;
  return static_cast<double>(static_cast<std::uint64_t>(task.shape.hi) - static_cast<std::uint64_t>(task.shape.lo)) /
         static_cast<double>(range.length);
}

/// Where each chunk begins, as a part of the range, and the end of the last one; empty: all are alike.
std::vector<double> LaunchPlan::startsOfChunks() {
  if (!size->weigh || tasks.size() < 2)
    return {};
  const std::vector<double> weights = size->weigh(*descriptor, tasks, cores);
  if (weights.empty())
    return {};
  std::vector<double> ends{0};
  for (const double weight : weights)
    ends.push_back(ends.back() + weight);
  for (double &start : ends)
    start /= ends.back();
  ends.back() = 1;
  return ends;
}

void LaunchPlan::cut() {
  blocks = false;
  auto count = static_cast<std::int64_t>(tasks.size());
  starts = split ? startsOfChunks() : std::vector<double>{};
  const auto upTo = [&](std::int64_t k) {
    if (starts.empty() || k == count)
      return static_cast<std::uint64_t>(Wide{range.length} * k / count);
    return static_cast<std::uint64_t>(static_cast<long double>(range.length) * starts[static_cast<std::size_t>(k)]);
  };
  for (std::int64_t k = 0; k < count; ++k) {
    TaskShape &shape = tasks[static_cast<std::size_t>(k)].shape;
    shape.index = k;
    shape.count = count;
    if (!split || (count == 1 && !partials))
      continue;
    shape.lo = range.at(upTo(k));
    shape.hi = range.at(upTo(k + 1));
  }
  if (!partials)
    return;
  for (std::int64_t k = 0; k < count; ++k)
    tasks[static_cast<std::size_t>(k)].firstBlock = k;
  combinedBlocks = count;
  std::uint32_t params = 0;
  const streamap_param *all = paramsOf(*descriptor, params);
  bool ordered = std::any_of(all, all + params, [](const streamap_param &p) {
    return (p.access & STREAMAP_REDUCTION) && dependsOnOrder(p.op, p.scalar);
  });
  if (split && ordered)
    cutByBlocks();
}

/// Every task gets whole blocks. A task for which none is left gets a partial that is not combined.
void LaunchPlan::cutByBlocks() {
  blocks = true;
  std::uint64_t bytes = 0; // all partials of one block; independent of the chunk, so taken over the whole range
  sink.begin(grids);
  if (auto sections = thunkOf(*descriptor, &streamap_task::sections))
    sections(arguments, &sink);
  for (const Section &section : sink.sections)
    if (section.access == STREAMAP_REDUCTION && section.runCount > 0)
      bytes += sink.runs[section.firstRun + section.runCount - 1].hi - sink.runs[section.firstRun].lo;
  std::int64_t wanted = reductionBlocks(range.length, bytes);
  blockLength = wanted == 0 ? 0
                            : static_cast<std::int64_t>((range.length + static_cast<std::uint64_t>(wanted) - 1) /
                                                        static_cast<std::uint64_t>(wanted));
  std::int64_t total = wanted == 0 ? 0
                                   : static_cast<std::int64_t>((range.length + static_cast<std::uint64_t>(blockLength) - 1) /
                                                               static_cast<std::uint64_t>(blockLength));
  auto indexOf = [&](std::int64_t block) {
    return range.at(std::min(range.length, static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(blockLength)));
  };
  auto count = static_cast<std::int64_t>(tasks.size());
  std::int64_t idle = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    PlannedTask &planned = tasks[static_cast<std::size_t>(k)];
    const auto firstOf = [&](std::int64_t task) {
      return starts.empty() || task == count
                 ? total * task / count
                 : static_cast<std::int64_t>(std::llround(static_cast<double>(total) * starts[static_cast<std::size_t>(task)]));
    };
    std::int64_t from = firstOf(k), to = firstOf(k + 1);
    planned.shape.lo = indexOf(from);
    planned.shape.hi = indexOf(to);
    planned.shape.blocks = std::max<std::int64_t>(1, to - from);
    planned.shape.blockLength = blockLength;
    planned.firstBlock = from < to ? from : total + idle++;
  }
  combinedBlocks = total;
}

// ---- Which bytes

/// Fills the sink with the sections of a task, for the indices lo <= i < hi.
Result<void> LaunchPlan::emit(const PlannedTask &planned, std::int64_t lo, std::int64_t hi) {
  clipped.clear();
  if (lo == INT64_MIN && hi == INT64_MAX)
    clipped = grids;
  else
    for (const streamap_grid &grid : grids)
      clipped.push_back(streamap_grid_clip(grid, lo, hi));
  sink.begin(clipped);
  auto sections = thunkOf(*descriptor, &streamap_task::sections);
  if (!sections)
    return {};
  if (planned.shape.count == 1) {
    sections(arguments, &sink); // streamap_task_index() of streamap_task_count() is 0 of 1 outside a task
  } else {
    TaskScope scope(happened, planned.shape);
    sections(arguments, &sink);
  }
  if (sink.fault == SectionFault::None)
    return {};
  std::string text = "a section of " + std::string(param(sink.faultParam).name) + " in " + descriptor->name;
  if (sink.fault == SectionFault::Overflow)
    return fail(text + " leaves the 64-bit address space");
  return fail(text + " falls into more than " + std::to_string(maxSectionRuns) + " separate pieces");
}

Result<void> LaunchPlan::collect() {
  bool anyWrite = false;
  touches.clear();
  names.clear();
  for (PlannedTask &planned : tasks) {
    if (auto emitted = emit(planned, planned.shape.lo, planned.shape.hi); !emitted)
      return emitted;
    addSections(planned);
    if (size->devices > 0 && planned.kind != STREAMAP_KIND_C && thunkOf(*descriptor, &streamap_task::images))
      measureOnDevice(planned);
    anyWrite |= std::any_of(sink.sections.begin(), sink.sections.end(),
                            [](const Section &s) { return s.access == STREAMAP_OUT || s.access == STREAMAP_INOUT; });
    if (tasks.size() > 1 || partials)
      touchSections(static_cast<std::uint32_t>(planned.shape.index), touches, static_cast<std::uint32_t>(names.size()));
  }
  if (touches.empty() || (!anyWrite && !partials))
    return {};
  return checkIndependence(blocks && anyWrite);
}

void LaunchPlan::measureOnDevice(PlannedTask &planned) {
  const DeviceLayout layout = layOutSections(sink, *descriptor, arguments, partials);
  planned.deviceBytes = layout.bytes();
  planned.aliased = layout.aliased;
}

void LaunchPlan::touchSections(std::uint32_t owner, std::vector<Touch> &out, std::uint32_t firstName) {
  for (const Section &section : sink.sections) {
    Touch touch{{}, owner, firstName++, Touch::Kind::Write, section.param};
    names.push_back({section.param, section.elementBytes, section.base});
    if (section.access == STREAMAP_IN)
      touch.kind = Touch::Kind::Read;
    else if (section.access == STREAMAP_REDUCTION)
      touch.kind = Touch::Kind::Reduce;
    for (ByteRun run : sink.runsOf(section)) {
      touch.run = run;
      out.push_back(touch);
    }
  }
}

/// Where blocks are the unit of order, they are also what must be independent: a task runs its blocks in ascending order,
/// whichever way the serial loop goes.
Result<void> LaunchPlan::checkIndependence(bool byBlocks) {
  if (byBlocks) {
    touches.clear();
    names.clear();
    for (const PlannedTask &planned : tasks) {
      for (std::int64_t block = 0; block < planned.shape.blocks; ++block) {
        std::uint64_t from = static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(blockLength);
        std::uint64_t to = std::min(static_cast<std::uint64_t>(planned.shape.hi) - static_cast<std::uint64_t>(planned.shape.lo),
                                    from + static_cast<std::uint64_t>(blockLength));
        Range chunk{planned.shape.lo, 0};
        if (auto emitted = emit(planned, chunk.at(from), chunk.at(to)); !emitted)
          return emitted;
        touchSections(static_cast<std::uint32_t>(planned.firstBlock + block), touches, static_cast<std::uint32_t>(names.size()));
      }
    }
  }
  std::optional<Conflict> conflict = findConflict(touches);
  if (!conflict)
    return {};
  if (!split)
    return fail(describe(*conflict));
  runWhole(*conflict);
  if (auto emitted = emit(tasks[0], INT64_MIN, INT64_MAX); !emitted)
    return emitted;
  accesses.clear();
  addSections(tasks[0]);
  return {};
}

std::string LaunchPlan::describe(const Conflict &conflict) const {
  auto saying = [&](const Touch &touch) {
    const SectionName &section = names[touch.section];
    std::int64_t element = (static_cast<std::int64_t>(conflict.at) - static_cast<std::int64_t>(section.base)) /
                           std::max<std::int64_t>(1, section.elementBytes);
    const char *verb = touch.kind == Touch::Kind::Read    ? " reads "
                       : touch.kind == Touch::Kind::Write ? " writes "
                                                          : " reduces into ";
    return std::string(verb) + param(section.param).name + "[" + std::to_string(element) + "]";
  };
  return "tasks " + std::to_string(conflict.first.task) + " and " + std::to_string(conflict.second.task) + " of " +
         descriptor->name + " are not independent: task " + std::to_string(conflict.first.task) + saying(conflict.first) +
         ", task " + std::to_string(conflict.second.task) + saying(conflict.second) + ", which is the same memory";
}

/// A split whose chunks depend on each other: one task, in serial order, as cc would run it.
void LaunchPlan::runWhole(const Conflict &conflict) {
  auto saying = [&](const Touch &touch) { return param(names[touch.section].param).name; };
  notice = where() + descriptor->name + " runs as one task: iterations of its split loop touch what others write (" +
           saying(conflict.first) +
           (std::strcmp(saying(conflict.first), saying(conflict.second)) != 0 ? std::string(" and ") + saying(conflict.second)
                                                                              : std::string()) +
           "), so they cannot run side by side";
  PlannedTask only;
  only.kind = STREAMAP_KIND_C;
  tasks.assign(1, only);
  partials = blocks = false;
  reductions.clear();
  combinedBlocks = 0;
}

/// Takes the sink's sections over as the accesses of a task. Those of reductions with partials go to the plan of the reduction.
void LaunchPlan::addSections(PlannedTask &planned) {
  planned.firstAccess = static_cast<std::uint32_t>(accesses.size());
  for (const Section &section : sink.sections) {
    if (section.access == STREAMAP_REDUCTION && partials) {
      addReductionTarget(section);
      continue;
    }
    AccessMode mode = section.access == STREAMAP_IN    ? AccessMode::Read
                      : section.access == STREAMAP_OUT ? AccessMode::Write
                                                       : AccessMode::ReadWrite;
    for (ByteRun run : sink.runsOf(section))
      accesses.push_back({run, mode});
  }
  uniteAccesses(accesses, planned.firstAccess);
  planned.accesses = static_cast<std::uint32_t>(accesses.size()) - planned.firstAccess;
}

void LaunchPlan::addReductionTarget(const Section &section) {
  auto plan =
      std::find_if(reductions.begin(), reductions.end(), [&](const ReductionPlan &r) { return r.param == section.param; });
  if (plan == reductions.end()) {
    plan = reductions.emplace(reductions.end());
    const streamap_param &p = param(section.param);
    plan->param = section.param;
    plan->op = p.op;
    plan->scalar = p.scalar;
    std::uint64_t value = 0;
    std::memcpy(&value, static_cast<const std::byte *>(arguments) + p.offset, sizeof value);
    plan->offset = -static_cast<std::int64_t>(value); // completed when the target is known
  }
  std::span<const ByteRun> runs = sink.runsOf(section);
  plan->target.insert(plan->target.end(), runs.begin(), runs.end());
}

/// Gives each task its partials to write. They join the accesses as one run a reduction; uniting again keeps the order.
void LaunchPlan::layOutPartials() {
  for (const PlannedTask &planned : tasks)
    partialCount = std::max(partialCount, planned.firstBlock + planned.shape.blocks);
  for (ReductionPlan &plan : reductions) {
    normalise(plan.target);
    plan.hull = {plan.target.front().lo, plan.target.back().hi};
    plan.offset += static_cast<std::int64_t>(plan.hull.lo);
    plan.allocate(partialCount);
  }
  std::vector<Access> united;
  for (PlannedTask &planned : tasks) {
    std::span<const Access> own = accessesOf(planned);
    auto first = static_cast<std::uint32_t>(united.size());
    united.insert(united.end(), own.begin(), own.end());
    for (const ReductionPlan &plan : reductions) {
      HomeAddress from = plan.partials + static_cast<std::uint64_t>(planned.firstBlock) * plan.stride;
      const std::uint64_t bytes = static_cast<std::uint64_t>(planned.shape.blocks) * plan.stride;
      united.push_back({{from, from + bytes}, AccessMode::Write});
      if (planned.deviceBytes != Bytes{})
        planned.deviceBytes += stretchBytes(bytes);
    }
    uniteAccesses(united, first);
    planned.firstAccess = first;
    planned.accesses = static_cast<std::uint32_t>(united.size()) - first;
  }
  accesses.swap(united);
}

} // namespace streamap
