// streamap-info: looking at all ranks, without opening any device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/look.h"

#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <utility>

#include "config/settings.h"
#include "start/greeting.h"
#include "start/mpi_start.h"
#include "start/rank_devices.h"

namespace streamap {
namespace {

std::optional<std::uint64_t> hashOfFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::array<char, 1 << 16> piece{};
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0)
    XXH3_64bits_update(state.get(), piece.data(), static_cast<std::size_t>(file.gcount()));
  return XXH3_64bits_digest(state.get());
}

/// This program, and the one that the user names.
std::vector<ModuleFacts> binaries(const std::string &program) {
  std::vector<ModuleFacts> list{{hashOfFile("/proc/self/exe").value_or(0), 0, "streamap-info"}};
  if (!program.empty())
    list.push_back({hashOfFile(program).value_or(0), 0, program});
  return list;
}

/// Without a launcher, or with one that MPI does not know, this process is all there is.
class Ranks {
public:
  explicit Ranks(const std::optional<Launcher> &launcher) {
    if (launcher)
      mpi_ = startMpi(*launcher);
  }
  ~Ranks() {
    if (mpi_)
      leaveMpi();
  }
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  Rank self() const { return mpi_ ? mpi_->self : headRank; }
  MpiFacts facts() const { return mpi_ ? mpi_->facts : MpiFacts{}; }
  std::vector<std::byte> spread(std::vector<std::byte> mine) { return mpi_ ? spreadBytes(std::move(mine), mpi_->orders) : mine; }
  std::vector<std::vector<std::byte>> gather(std::vector<std::byte> mine) {
    if (mpi_)
      return gatherBytes(mine, mpi_->orders);
    return {std::move(mine)};
  }

private:
  std::optional<MpiStart> mpi_;
};

/// What the head's settings mean for all.
struct HeadsWord {
  std::string problem, devices;
};

HeadsWord spreadSettings(const Result<Settings> &settings, Ranks &ranks) {
  WireWriter out;
  out.putText(settings ? "" : settings.error().message);
  out.putText(settings ? settings->devices : "");
  const auto bytes = ranks.spread(out.take());
  WireReader in(bytes);
  HeadsWord word;
  word.problem = in.getText();
  word.devices = in.getText();
  return word;
}

RankFacts decodeFacts(std::span<const std::byte> bytes) {
  WireReader in(bytes);
  Greeting greeting = decodeGreeting(in);
  RankFacts facts{
      std::move(greeting.machine), std::move(greeting.launcher), greeting.launcherSize, std::move(greeting.mpi), {}, {}};
  for (const ModuleFacts &module : greeting.modules)
    facts.binaries.push_back(module.path + " " + std::to_string(module.hash));
  facts.sight = decodeSight(in);
  return facts;
}

} // namespace

Result<std::optional<Look>> lookAtCluster(const std::string &program) {
  const auto launcher = findLauncher([](const char *name) { return static_cast<const char *>(std::getenv(name)); });
  const Result<Settings> settings = loadSettings(environ);
  Ranks ranks(launcher);
  const HeadsWord word = spreadSettings(settings, ranks);
  if (!word.problem.empty())
    return ranks.self() == headRank ? Result<std::optional<Look>>(tl::make_unexpected(settings.error())) : std::nullopt;

  Greeting greeting = makeGreeting();
  greeting.launcher = launcher ? launcher->name : "";
  greeting.launcherSize = launcher ? launcher->size : 0;
  greeting.mpi = ranks.facts();
  greeting.modules = binaries(program);
  const RankDevices devices(word.devices, {greeting.machine.host, ranks.self().value, 0});
  WireWriter out;
  encodeGreeting(out, greeting);
  encodeSight(out, devices.sight());
  std::vector<RankFacts> all;
  for (const auto &bytes : ranks.gather(out.take()))
    all.push_back(decodeFacts(bytes));
  if (ranks.self() != headRank || (launcher && ranks.facts().size == 1 && launcher->rank > 0)) // one of many singletons speaks
    return std::nullopt;
  Look look{takeStock(std::move(all)), word.devices};
  look.inventory.slots = slotsByRank(look.inventory.shares, *settings);
  return look;
}

} // namespace streamap
