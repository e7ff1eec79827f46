// StreamMAP runtime: this process takes its place in a program whose processes are the tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program/seat.h"

#include <mpi.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "comm/wire.h"
#include "discover/machine.h"
#include "observe/log.h"
#include "program/mapping.h"
#include "program/world.h"
#include "start/rank_devices.h"

namespace streamap {
namespace {

/// What a process tells the others.
struct SeatFacts {
  std::optional<Error> problem;
  std::string host, boot;
  std::vector<std::uint32_t> cores;
  std::vector<DeviceUuid> gpus;
};

void encodeFacts(WireWriter &out, const SeatFacts &facts) {
  out.put(facts.problem.has_value());
  out.putText(facts.problem ? facts.problem->message : "");
  out.putText(facts.problem ? facts.problem->hint : "");
  out.putText(facts.host);
  out.putText(facts.boot);
  out.putAll(facts.cores);
  out.putAll(facts.gpus);
}

SeatFacts decodeFacts(WireReader &in) {
  SeatFacts facts;
  const bool wrong = in.get<bool>();
  Error problem;
  problem.message = in.getText();
  problem.hint = in.getText();
  if (wrong)
    facts.problem = std::move(problem);
  facts.host = in.getText();
  facts.boot = in.getText();
  facts.cores = in.getAll<std::uint32_t>();
  facts.gpus = in.getAll<DeviceUuid>();
  return facts;
}

/// What the devices of this process are, found by a child: CUDA takes CUDA_VISIBLE_DEVICES as it is when it is first called, and
/// what this process will see is not decided yet.
std::vector<DeviceUuid> devicesSeenByChild(const std::string &setting, const std::string &host, int rank) {
  int ends[2];
  if (pipe(ends) != 0)
    return {};
  const pid_t child = fork();
  if (child == 0) {
    WireWriter out;
    std::vector<DeviceUuid> uuids;
    for (const DeviceProperties &device : RankDevices(setting, {host, rank, 0}).sight().devices)
      uuids.push_back(device.uuid);
    out.putAll(uuids);
    for (std::size_t sent = 0; sent < out.bytes().size();) {
      const ssize_t part = write(ends[1], out.bytes().data() + sent, out.bytes().size() - sent);
      if (part <= 0)
        break;
      sent += static_cast<std::size_t>(part);
    }
    _exit(0);
  }
  close(ends[1]);
  std::vector<std::byte> bytes;
  std::byte buffer[4096];
  for (ssize_t part = 0; child > 0 && (part = read(ends[0], buffer, sizeof buffer)) > 0;)
    bytes.insert(bytes.end(), buffer, buffer + part);
  close(ends[0]);
  if (child > 0)
    waitpid(child, nullptr, 0);
  WireReader in(bytes);
  return in.getAll<DeviceUuid>();
}

std::vector<ProgramItem> listOf(const streamap_program &form) {
  std::vector<ProgramItem> list;
  for (std::uint32_t i = 0; i < form.nitems; ++i) {
    const streamap_item &written = form.items[i];
    ProgramItem item;
    item.onGpu = written.kind == STREAMAP_KIND_G;
    item.count = item.first = written.first;
    item.last = written.last;
    if (written.form == STREAMAP_ITEM_ALL)
      item.form = ProgramItem::Form::All;
    else if (written.form == STREAMAP_ITEM_NUMBERED)
      item.form = ProgramItem::Form::Numbered;
    list.push_back(item);
  }
  return list;
}

/// Everybody's facts, on everybody.
std::vector<SeatFacts> exchange(const SeatFacts &mine) {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  WireWriter out;
  encodeFacts(out, mine);
  const int bytes = static_cast<int>(out.bytes().size());
  std::vector<int> sizes(static_cast<std::size_t>(ranks)), starts(sizes);
  PMPI_Allgather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int total = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    starts[i] = total;
    total += sizes[i];
  }
  std::vector<std::byte> all(static_cast<std::size_t>(total));
  PMPI_Allgatherv(out.bytes().data(), bytes, MPI_BYTE, all.data(), sizes.data(), starts.data(), MPI_BYTE, MPI_COMM_WORLD);
  std::vector<SeatFacts> facts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    WireReader in(std::span(all).subspan(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(sizes[i])));
    facts.push_back(decodeFacts(in));
  }
  return facts;
}

/// The processes by node, and the nodes with the GPUs that any process there sees.
struct Hall {
  std::vector<ProgramProcess> processes;
  std::vector<ProgramNode> nodes;
};

Hall hallOf(std::span<const SeatFacts> byRank) {
  Hall hall;
  std::vector<std::pair<std::string, std::string>> known;
  for (const SeatFacts &facts : byRank) {
    const std::pair machine{facts.host, facts.boot};
    const auto at = std::find(known.begin(), known.end(), machine);
    const auto node = static_cast<std::size_t>(at - known.begin());
    if (at == known.end()) {
      known.push_back(machine);
      hall.nodes.push_back({facts.host, {}});
    }
    hall.processes.push_back({NodeId{static_cast<int>(node)}});
    auto &gpus = hall.nodes[node].gpus;
    for (const DeviceUuid &gpu : facts.gpus)
      if (std::find(gpus.begin(), gpus.end(), gpu) == gpus.end())
        gpus.push_back(gpu);
  }
  return hall;
}

Result<std::vector<ProgramRole>> agree(const streamap_program &form, std::span<const SeatFacts> byRank,
                                       const std::string &policy) {
  for (std::size_t rank = 0; rank < byRank.size(); ++rank)
    if (byRank[rank].problem)
      return tl::unexpected(Error(*byRank[rank].problem).in("process " + std::to_string(rank) + " on " + byRank[rank].host));
  const Hall hall = hallOf(byRank);
  ProgramSetup setup;
  setup.tasksPerGpu = 100 / static_cast<int>(form.share);
  setup.spread = policy == "binpack" ? ProgramSpread::Pack : ProgramSpread::Spread;
  auto roles = mapProgram(listOf(form), hall.processes, hall.nodes, setup);
  if (!roles)
    return tl::unexpected(std::move(roles.error()).in(std::string(form.file) + ":" + std::to_string(form.line)));
  return roles;
}

/// This process's part of the cores that it shares with others of its node: those with the same cores divide them evenly, as far
/// as there is one for each.
std::vector<std::uint32_t> ownCores(std::span<const SeatFacts> byRank, std::size_t self) {
  const SeatFacts &mine = byRank[self];
  std::size_t sharers = 0, place = 0;
  for (std::size_t rank = 0; rank < byRank.size(); ++rank) {
    const SeatFacts &other = byRank[rank];
    if (other.host != mine.host || other.boot != mine.boot || other.cores != mine.cores)
      continue;
    place += rank < self;
    ++sharers;
  }
  const std::size_t count = mine.cores.size();
  if (sharers == 1 || count < sharers)
    return mine.cores;
  const auto edge = [&](std::size_t part) { return mine.cores.begin() + static_cast<std::ptrdiff_t>(part * count / sharers); };
  return {edge(place), edge(place + 1)};
}

/// With the other hardware threads of the same cores, where this process may use them: a core is named by its first one.
void bindTo(const std::vector<std::uint32_t> &cores, const std::vector<std::uint32_t> &all) {
  cpu_set_t allowed, wanted;
  CPU_ZERO(&allowed);
  CPU_ZERO(&wanted);
  if (cores.size() == all.size() || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  const std::vector<std::vector<std::uint32_t>> threads = hardwareThreads();
  for (const auto &ofOneCore : threads)
    if (!ofOneCore.empty() && std::find(cores.begin(), cores.end(), ofOneCore.front()) != cores.end())
      for (const std::uint32_t thread : ofOneCore)
        if (thread < CPU_SETSIZE && CPU_ISSET(thread, &allowed))
          CPU_SET(thread, &wanted);
  if (CPU_COUNT(&wanted) > 0)
    sched_setaffinity(0, sizeof wanted, &wanted);
}

void settle(const ProgramRole &role, std::span<const SeatFacts> byRank, std::size_t self) {
  setenv("CUDA_VISIBLE_DEVICES", role.onGpu ? describe(role.gpu).c_str() : "", 1);
  const auto cores = ownCores(byRank, self);
  bindTo(cores, byRank[self].cores);
  setenv("OMP_NUM_THREADS", std::to_string(cores.size()).c_str(), 0);
}

bool wantsGpus(const streamap_program &form) {
  return std::any_of(form.items, form.items + form.nitems,
                     [](const streamap_item &item) { return item.kind == STREAMAP_KIND_G; });
}

} // namespace

bool takeSeat(const streamap_program &form, const Result<Settings> &settings) {
  SeatFacts mine;
  const Machine machine = inspectMachine();
  mine.host = machine.host;
  mine.boot = machine.boot;
  mine.cores = machine.cores;
  if (!settings)
    mine.problem = settings.error();
  else if (form.abi_version != STREAMAP_ABI_VERSION)
    mine.problem =
        Error{"it was compiled by another version of streamap-cc than this libstreamap belongs to", "compile it again"};
  else if (wantsGpus(form))
    mine.gpus = devicesSeenByChild(settings->devices, mine.host, 0);

  int granted = MPI_THREAD_SINGLE, self = 0;
  if (PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted) != MPI_SUCCESS)
    return false; // MPI has said why
  PMPI_Comm_rank(MPI_COMM_WORLD, &self);
  const auto byRank = exchange(mine);
  const auto roles = agree(form, byRank, settings ? settings->policy : "");
  if (!roles) {
    if (self == 0)
      showError(roles.error());
    PMPI_Finalize();
    return false;
  }
  const ProgramRole &role = (*roles)[static_cast<std::size_t>(self)];
  MPI_Comm world = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, 0, role.rank.value, &world);
  PMPI_Comm_set_name(world, "MPI_COMM_WORLD");
  enterWorld(world, granted);
  settle(role, byRank, static_cast<std::size_t>(self));
  log().info("process {} on {} is task {}{}", self, mine.host, role.rank.value, role.onGpu ? ", with " + describe(role.gpu) : "");
  return true;
}

} // namespace streamap
