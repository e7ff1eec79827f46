// StreamMAP runtime: what ranks tell each other before anything runs, and what comes of it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/greeting.h"

#include <algorithm>

#include "abi/registry.h"

namespace streamap {
namespace {

void encodeMachine(WireWriter &out, const Machine &machine) {
  out.putText(machine.host);
  out.putText(machine.boot);
  out.putText(machine.kernel);
  out.put(machine.pidNamespace);
  out.put(machine.pid);
  out.put(machine.doorbell);
  out.putAll(machine.cores);
  out.putAll(machine.numa);
  out.put(machine.machineCores);
  out.put(machine.machineNuma);
  out.put(machine.quota);
  out.put(machine.memory);
  out.put(machine.freeMemory);
  out.put(machine.memoryLimit);
  out.put(machine.nvidiaCards);
}

Machine decodeMachine(WireReader &in) {
  Machine machine;
  machine.host = in.getText();
  machine.boot = in.getText();
  machine.kernel = in.getText();
  machine.pidNamespace = in.get<std::uint64_t>();
  machine.pid = in.get<std::int32_t>();
  machine.doorbell = in.get<std::int32_t>();
  machine.cores = in.getAll<std::uint32_t>();
  machine.numa = in.getAll<std::uint32_t>();
  machine.machineCores = in.get<std::uint32_t>();
  machine.machineNuma = in.get<std::uint32_t>();
  machine.quota = in.get<std::uint32_t>();
  machine.memory = in.get<Bytes>();
  machine.freeMemory = in.get<Bytes>();
  machine.memoryLimit = in.get<Bytes>();
  machine.nvidiaCards = in.get<std::uint32_t>();
  return machine;
}

std::string rankName(std::size_t rank, const Greeting &greeting) {
  return "rank " + std::to_string(rank) + " on " + greeting.machine.host;
}

/// What the module is called in a message.
std::string moduleName(const ModuleFacts &module) {
  return module.path.empty() ? "the program" : module.path;
}

/// A module of `mine` that `other` has not in the same form, or null.
const ModuleFacts *differing(const std::vector<ModuleFacts> &mine, const std::vector<ModuleFacts> &other) {
  for (const auto &module : mine)
    if (std::none_of(other.begin(), other.end(),
                     [&](const ModuleFacts &m) { return m.hash == module.hash && m.tasks == module.tasks; }))
      return &module;
  return nullptr;
}

} // namespace

void encodeGreeting(WireWriter &out, const Greeting &greeting) {
  out.put(greeting.abiVersion);
  out.put(greeting.problem.has_value());
  if (greeting.problem) {
    out.putText(greeting.problem->message);
    out.putText(greeting.problem->hint);
  }
  encodeMachine(out, greeting.machine);
  out.putText(greeting.launcher);
  out.put(greeting.launcherSize);
  out.putText(greeting.mpi.library);
  out.put(greeting.mpi.size);
  out.put(greeting.mpi.threads);
  out.put(greeting.mpi.gpuAware);
  out.putPacked(greeting.modules.size());
  for (const auto &module : greeting.modules) {
    out.put(module.hash);
    out.put(module.tasks);
    out.putText(module.path);
  }
}

Greeting decodeGreeting(WireReader &in) {
  Greeting greeting;
  greeting.abiVersion = in.get<std::uint32_t>();
  if (in.get<bool>()) {
    greeting.problem.emplace();
    greeting.problem->message = in.getText();
    greeting.problem->hint = in.getText();
  }
  greeting.machine = decodeMachine(in);
  greeting.launcher = in.getText();
  greeting.launcherSize = in.get<int>();
  greeting.mpi.library = in.getText();
  greeting.mpi.size = in.get<int>();
  greeting.mpi.threads = in.get<ThreadLevel>();
  greeting.mpi.gpuAware = in.get<GpuAware>();
  greeting.modules.resize(in.getPacked());
  for (auto &module : greeting.modules) {
    module.hash = in.get<std::uint64_t>();
    module.tasks = in.get<std::uint32_t>();
    module.path = in.getText();
  }
  return greeting;
}

void encodeWelcome(WireWriter &out, const Welcome &welcome) {
  out.putText(welcome.problem);
  out.putAll(welcome.shares);
  out.putAll(welcome.slots);
  out.putPacked(welcome.machines.size());
  for (const auto &machine : welcome.machines)
    encodeMachine(out, machine);
  out.put(welcome.wantsTrace);
  out.putText(welcome.devices);
  out.put(welcome.deviceTasks);
  out.putText(welcome.logLevel);
  out.putBytes(welcome.surroundings);
}

Welcome decodeWelcome(WireReader &in) {
  Welcome welcome;
  welcome.problem = in.getText();
  welcome.shares = in.getAll<RankShare>();
  welcome.slots = in.getAll<int>();
  welcome.machines.resize(in.getPacked());
  for (auto &machine : welcome.machines)
    machine = decodeMachine(in);
  welcome.wantsTrace = in.get<bool>();
  welcome.devices = in.getText();
  welcome.deviceTasks = in.get<std::int64_t>();
  welcome.logLevel = in.getText();
  const auto surroundings = in.getBytes();
  welcome.surroundings.assign(surroundings.begin(), surroundings.end());
  return welcome;
}

Greeting makeGreeting() {
  Greeting greeting;
  greeting.abiVersion = STREAMAP_ABI_VERSION;
  greeting.machine = inspectMachine();
  for (const auto &module : taskModules())
    greeting.modules.push_back({module.hash, module.tasks, module.path});
  return greeting;
}

Result<void> checkGreetings(std::span<const Greeting> byRank) {
  for (std::size_t rank = 0; rank < byRank.size(); ++rank) {
    const auto &greeting = byRank[rank];
    if (greeting.problem)
      return tl::make_unexpected(rank == 0 ? *greeting.problem : Error(*greeting.problem).in(rankName(rank, greeting)));
    if (greeting.abiVersion != byRank[0].abiVersion)
      return failure(rankName(rank, greeting) + " has another version of libstreamap than rank 0",
                     "install the same version on all machines");
    const auto *odd = differing(byRank[0].modules, greeting.modules);
    odd = odd ? odd : differing(greeting.modules, byRank[0].modules);
    if (odd)
      return failure(rankName(rank, greeting) + " and " + rankName(0, byRank[0]) +
                         " run different binaries: " + moduleName(*odd) + " is not the same file on both",
                     "start the same build on all ranks");
  }
  return {};
}

std::vector<int> slotsByRank(std::span<const RankShare> shares, const Settings &settings) {
  std::vector<int> slots;
  for (const RankShare &share : shares)
    slots.push_back(settings.slots ? static_cast<int>(*settings.slots) : share.cores);
  if (settings.headSlots)
    slots[0] = static_cast<int>(*settings.headSlots);
  if (slots.size() == 1) // somebody must run the tasks
    slots[0] = std::max(1, slots[0]);
  return slots;
}

} // namespace streamap
