// StreamMAP runtime: what the tasks of a launch ask for, and what is known about them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "device/image_choice.h"
#include "graph/descriptor.h"
#include "head/state.h"

namespace streamap {
namespace {

bool hasKind(const LaunchPlan &plan, std::uint8_t kind) {
  return std::any_of(plan.tasks.begin(), plan.tasks.end(), [&](const PlannedTask &t) { return t.kind == kind; });
}

} // namespace

/// One rank alone runs everything on its cores.
HeadState::Demands HeadState::demandsAlone(const LaunchPlan &plan) {
  Demands demands;
  demands.wantsDevice = hasKind(plan, STREAMAP_KIND_G);
  return demands;
}

/// Any cores.
DemandId HeadState::combinationDemand() {
  if (!anyCores)
    anyCores = placer->intern(judge(processors, {}));
  return *anyCores;
}

FunctionId HeadState::functionOf(const streamap_task &task) {
  const streamap_task *const base = baseOf(task);
  const streamap_task &function = task.flags & STREAMAP_FLAG_CALL && base ? *base : task;
  if (&function == lastFunction.first) // the tasks of a launch, one after the other
    return lastFunction.second;
  const auto [at, fresh] = functions.try_emplace(&function);
  if (fresh)
    at->second = estimates.function(std::string(function.name) + "@" + (function.file ? function.file : "?"));
  lastFunction = {&function, at->second};
  return at->second;
}

/// Looks at the cluster once for each function, cores and share; and again where the memory of a launch may decide.
HeadState::Demands HeadState::demandsOf(const LaunchPlan &plan, const streamap_task &task) {
  Bytes largest;
  bool aliased = false;
  for (const PlannedTask &planned : plan.tasks) {
    largest = std::max(largest, planned.deviceBytes);
    aliased |= planned.aliased;
  }
  const auto [at, fresh] = knownDemands.try_emplace({&task, plan.cores, plan.share});
  KnownDemands &known = at->second;
  if (fresh || largest > known.most || largest <= known.tooLittle) {
    known.demands = judgeDemands(plan, task, largest);
    known.demands.share = plan.share;
    known.most = Bytes{UINT64_MAX};
    known.tooLittle = {};
    for (const ResourceTable::Class &group : processors.classes())
      if (const Bytes budget = processors[group.example].memory; group.kind == ProcessorKind::Device)
        (largest > budget ? known.tooLittle : known.most) =
            largest > budget ? std::max(known.tooLittle, budget) : std::min(known.most, budget);
  }
  Demands demands = known.demands;
  demands.wantsDevice = hasKind(plan, STREAMAP_KIND_G);
  if (aliased && demands.hasDevice) {
    demands.hasDevice = false;
    demands.reason = "it writes a section that overlaps another one at a different address";
  }
  if (demands.hasDevice && !placer->canServe(demands.device)) {
    demands.hasDevice = false;
    demands.reason = "the devices that could run it are lost";
  }
  return demands;
}

HeadState::Demands HeadState::judgeDemands(const LaunchPlan &plan, const streamap_task &task, Bytes memory) {
  Demands demands;
  Demand asked;
  asked.cores = plan.cores;
  demands.cores = placer->intern(judge(processors, asked)); // checked against the widest rank
  if (clusterSize.devices == 0)
    return demands;
  const streamap_images *const images = thunkOf(task, &streamap_task::images);
  if (!images) {
    demands.reason = "it has no version for GPUs";
    return demands;
  }
  const streamap_task *const base = baseOf(task);
  const streamap_task &from = task.requirements || !base ? task : *base;
  asked.requirements = {from.requirements, from.nrequirements};
  asked.onCores = false;
  asked.onDevice = true;
  asked.share = plan.share;
  asked.memory = memory;
  asked.unsuited = [&](const DeviceProperties &device) {
    const auto image = chooseImage(*images, device);
    return image ? std::string() : image.error().message;
  };
  const Judgement judgement = judge(processors, asked);
  if (!judgement.anywhere()) {
    demands.reason = judgement.why();
    return demands;
  }
  demands.hasDevice = true;
  demands.device = placer->intern(judgement);
  asked.onCores = true;
  demands.either = placer->intern(judge(processors, asked));
  return demands;
}

void HeadState::describe(Task &body, const LaunchPlan &plan, const PlannedTask &planned, const Demands &demands, double cost) {
  body.coresDemand = body.demand = demands.cores;
  if (demands.hasDevice && planned.kind == STREAMAP_KIND_G)
    body.demand = demands.device;
  else if (demands.hasDevice && planned.kind == STREAMAP_KIND_ANY)
    body.demand = demands.either;
  body.share = demands.share;
  body.deviceBytes = planned.deviceBytes;
  const double part = plan.partOf(planned);
  body.cost = cost * part;
  double amount = body.cost;
  if (cost == 0)
    for (const Access &access : plan.accessesOf(planned))
      amount += static_cast<double>(access.run.bytes());
  body.profile = estimates.profile(functionOf(*body.pack->task), amount);
}

std::vector<double> HeadState::weigh(const streamap_task &task, std::span<const PlannedTask> tasks, std::int32_t cores) {
  std::lock_guard lock(mutex);
  const ProfileId usual = estimates.usual(functionOf(task));
  if (usual == noProfile)
    return {};
  std::vector<DemandId> wanted;
  for (const PlannedTask &planned : tasks) {
    const auto known = std::find_if(knownDemands.begin(), knownDemands.end(), [&](const auto &entry) {
      return std::get<0>(entry.first) == &task && std::get<1>(entry.first) == cores;
    });
    if (known == knownDemands.end())
      return {};
    const Demands &demands = known->second.demands;
    const bool device = demands.hasDevice && placer->canServe(demands.device);
    wanted.push_back(device && planned.kind == STREAMAP_KIND_G     ? demands.device
                     : device && planned.kind == STREAMAP_KIND_ANY ? demands.either
                                                                   : demands.cores);
  }
  return placer->weights(wanted, usual);
}

} // namespace streamap
