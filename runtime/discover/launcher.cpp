// StreamMAP runtime: who started this process, and as which of how many.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/launcher.h"

#include <array>
#include <charconv>
#include <cstring>

namespace streamap {
namespace {

/// The variables of one launcher; null where it has none.
struct LauncherVariables {
  const char *name, *rank, *size, *localRank;
};

constexpr std::array launchers{
    LauncherVariables{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    LauncherVariables{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
    LauncherVariables{"PALS", "PALS_RANKID", nullptr, "PALS_LOCAL_RANKID"},
    LauncherVariables{"Hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    LauncherVariables{"PMIx", "PMIX_RANK", nullptr, nullptr},
};

std::optional<int> number(const Lookup &lookup, const char *name) {
  const char *const text = name ? lookup(name) : nullptr;
  int value = 0;
  if (!text || std::from_chars(text, text + std::strlen(text), value).ec != std::errc())
    return std::nullopt;
  return value;
}

/// A batch script's own commands see a process number, but no step with tasks.
bool isBatchScript(const LauncherVariables &variables, const Lookup &lookup) {
  return std::strcmp(variables.name, "Slurm") == 0 && !number(lookup, variables.size);
}

} // namespace

std::optional<Launcher> findLauncher(const Lookup &lookup) {
  for (const auto &variables : launchers) {
    const auto rank = number(lookup, variables.rank);
    if (!rank || isBatchScript(variables, lookup))
      continue;
    return Launcher{variables.name, *rank, number(lookup, variables.size).value_or(0),
                    number(lookup, variables.localRank).value_or(-1)};
  }
  return std::nullopt;
}

} // namespace streamap
