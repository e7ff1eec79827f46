// StreamMAP runtime: who started this process, and as which of how many.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace streamap {

/// A parallel launcher, as its variables tell it. MPI has the last word once it is initialised.
struct Launcher {
  std::string name;
  int rank = 0;
  int size = 0;       ///< 0: not told
  int localRank = -1; ///< -1: not told
};

/// Looks a variable up; null when it is not set.
using Lookup = std::function<const char *(const char *name)>;

/// The launcher that started this process, or nothing for a plain ./prog. Known: Open MPI, Slurm's srun, PALS, MPICH and Intel
/// MPI (Hydra), and whatever else speaks PMIx. A plain ./prog inside a batch script is not a launch, although Slurm sets
/// variables.
std::optional<Launcher> findLauncher(const Lookup &lookup);

} // namespace streamap
