// StreamMAP runtime: what ranks tell each other before anything runs, and what comes of it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "comm/wire.h"
#include "config/settings.h"
#include "discover/machine.h"
#include "discover/mpi_facts.h"
#include "discover/share.h"

namespace streamap {

/// One module with tasks.
struct ModuleFacts {
  std::uint64_t hash = 0;
  std::uint32_t tasks = 0;
  std::string path;
};

/// What a rank tells the head.
struct Greeting {
  std::uint32_t abiVersion = 0;
  std::optional<Error> problem; ///< why this rank cannot take part
  Machine machine;
  std::string launcher; ///< its name; empty: none
  int launcherSize = 0; ///< processes that it says it has started; 0: not told
  MpiFacts mpi;
  std::vector<ModuleFacts> modules;
};

/// What the head tells all ranks.
struct Welcome {
  std::string problem;           ///< the program does not start; the head has said why
  std::vector<RankShare> shares; ///< by rank
  std::vector<int> slots;        ///< by rank
  std::vector<Machine> machines; ///< by rank
  bool wantsTrace = false;
  std::string devices; ///< the setting
  std::int64_t deviceTasks = 1;
  std::string logLevel;
  std::vector<std::byte> surroundings; ///< environment.h
};

void encodeGreeting(WireWriter &out, const Greeting &greeting);
Greeting decodeGreeting(WireReader &in);
void encodeWelcome(WireWriter &out, const Welcome &welcome);
Welcome decodeWelcome(WireReader &in);

/// This rank's greeting, but for `problem`.
Greeting makeGreeting();

/// Whether the ranks fit together: all able, the same program, the same ABI. The first that does not is named. Pure.
Result<void> checkGreetings(std::span<const Greeting> byRank);

/// How many slots each rank has. \p shares by rank. Pure.
std::vector<int> slotsByRank(std::span<const RankShare> shares, const Settings &settings);

} // namespace streamap
