// StreamMAP runtime: what tasks ask for, and which processors can give it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/demand.h"

#include <algorithm>
#include <cassert>

#include "base/text.h"

namespace streamap {
namespace {

bool related(std::int64_t value, std::uint8_t relation, std::int64_t to) {
  switch (relation) {
  case STREAMAP_GE:
    return value >= to;
  case STREAMAP_GT:
    return value > to;
  case STREAMAP_LE:
    return value <= to;
  case STREAMAP_LT:
    return value < to;
  default:
    return value == to;
  }
}

const char *sign(std::uint8_t relation) {
  switch (relation) {
  case STREAMAP_GE:
    return ">=";
  case STREAMAP_GT:
    return ">";
  case STREAMAP_LE:
    return "<=";
  case STREAMAP_LT:
    return "<";
  default:
    return "==";
  }
}

std::string capabilityText(std::int64_t number) {
  return std::to_string(number / 10) + "." + std::to_string(number % 10);
}

/// `it does not meet require(cc>=9.0): it has 8.0`, without what goes before.
std::string shortfall(const ProcessorFacts &processor, const streamap_requirement &asked) {
  const DeviceProperties &device = *processor.device;
  const std::string text = asked.text ? asked.text : "";
  switch (asked.key) {
  case STREAMAP_REQUIRE_CC:
    return std::string("require(cc") + sign(asked.relation) + capabilityText(asked.number) + "): it has " +
           capabilityText(device.capability.number());
  case STREAMAP_REQUIRE_TENSORCORE:
    return "require(tensorcore): its compute capability is " + capabilityText(device.capability.number());
  case STREAMAP_REQUIRE_MEMORY:
    return std::string("require(memory") + sign(asked.relation) +
           describe(Bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(asked.number, 0))}) + "): it has " +
           describe(device.memory);
  case STREAMAP_REQUIRE_VENDOR:
    return "require(vendor(" + text + ")): it is of " + device.vendor;
  case STREAMAP_REQUIRE_NAME:
    return "require(name(\"" + text + "\")): its name is " + device.name;
  case STREAMAP_REQUIRE_UUID:
    return "require(uuid(\"" + text + "\")): it is " + describe(device.uuid);
  default:
    return "require(label(" + text + "))";
  }
}

std::string whyNotOnDevice(const ProcessorFacts &processor, const Demand &demand) {
  const std::string &name = processor.device->name;
  for (const streamap_requirement &requirement : demand.requirements)
    if (requirement.key != STREAMAP_REQUIRE_UUID && !meets(processor, requirement))
      return name + " does not meet its " + shortfall(processor, requirement);
  if (demand.unsuited)
    if (std::string why = demand.unsuited(*processor.device); !why.empty())
      return why;
  if (processor.memory != Bytes{} && demand.memory > processor.memory)
    return "a task needs " + describe(demand.memory) + " of memory, and of " + name + "'s tasks may use " +
           describe(processor.memory);
  if (demand.share > 100)
    return "a task wants " + std::to_string(demand.share) + " % of a device, and there is no more than 100 %";
  return {};
}

std::string whyNotOnCores(const ProcessorFacts &processor, const Demand &demand) {
  if (processor.lanes == 0)
    return "it runs no tasks";
  if (demand.cores > processor.lanes)
    return "a task wants " + std::to_string(demand.cores) + " cores, and it has " + std::to_string(processor.lanes);
  return {};
}

/// A class differs in everything but UUIDs, so those are asked of each member.
void judgeUuids(const ResourceTable &table, const streamap_requirement &requirement, Judgement &judgement) {
  for (std::size_t k = 0; k < table.classes().size(); ++k) {
    const ResourceTable::Class &group = table.classes()[k];
    if (!judgement.classes[k] || group.kind != ProcessorKind::Device)
      continue;
    if (judgement.only.empty())
      judgement.only.assign(static_cast<std::size_t>(table.size()), true);
    bool any = false;
    for (const ProcessorId member : group.members) {
      auto allowed = judgement.only[static_cast<std::size_t>(member.value)];
      allowed = allowed && meets(table[member], requirement);
      any |= allowed;
    }
    if (!any) {
      judgement.classes[k] = false;
      judgement.reasons[k] =
          table[group.example].device->name + " does not meet its " + shortfall(table[group.example], requirement);
    }
  }
}

} // namespace

bool meets(const ProcessorFacts &processor, const streamap_requirement &requirement) {
  assert(processor.device && "cores are asked for nothing");
  const DeviceProperties &device = *processor.device;
  const std::string text = lowered(requirement.text ? requirement.text : "");
  switch (requirement.key) {
  case STREAMAP_REQUIRE_CC:
    return related(device.capability.number(), requirement.relation, requirement.number);
  case STREAMAP_REQUIRE_TENSORCORE:
    return device.capability >= ComputeCapability{7, 0};
  case STREAMAP_REQUIRE_MEMORY:
    return related(static_cast<std::int64_t>(device.memory.value), requirement.relation, requirement.number);
  case STREAMAP_REQUIRE_VENDOR:
    return lowered(device.vendor) == text;
  case STREAMAP_REQUIRE_NAME:
    return lowered(device.name).find(text) != std::string::npos;
  case STREAMAP_REQUIRE_UUID:
    return lowered(describe(device.uuid)).starts_with(text);
  default:
    return std::any_of(processor.labels.begin(), processor.labels.end(),
                       [&](const std::string &label) { return lowered(label) == text; });
  }
}

Judgement judge(const ResourceTable &table, const Demand &demand) {
  Judgement judgement;
  judgement.cores = demand.cores;
  judgement.share = demand.share;
  for (const ResourceTable::Class &group : table.classes()) {
    std::string why;
    if (group.kind == ProcessorKind::Device)
      why = demand.onDevice ? whyNotOnDevice(table[group.example], demand) : "it is a device, and the task asks for cores";
    else
      why = demand.onCores ? whyNotOnCores(table[group.example], demand) : "it has cores, and the task asks for a device";
    judgement.classes.push_back(why.empty());
    judgement.wrongKind.push_back(group.kind == ProcessorKind::Device ? !demand.onDevice : !demand.onCores);
    judgement.reasons.push_back(std::move(why));
  }
  for (const streamap_requirement &requirement : demand.requirements)
    if (requirement.key == STREAMAP_REQUIRE_UUID)
      judgeUuids(table, requirement, judgement);
  return judgement;
}

bool Judgement::anywhere() const {
  return std::find(classes.begin(), classes.end(), true) != classes.end();
}

std::string Judgement::why() const {
  for (std::size_t k = 0; k < classes.size(); ++k)
    if (!classes[k] && !wrongKind[k])
      return reasons[k];
  return {};
}

} // namespace streamap
