// StreamMAP runtime: what a process takes from where it was started: environment, directory, locale, file mode mask.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/surroundings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace streamap {
namespace {

/// Variables that say who a process is among others, or what its own machine has.
bool belongsToProcess(std::string_view entry) {
  constexpr std::array<std::string_view, 9> prefixes{"OMPI_",  "PMIX_", "PMI_",  "ORTE_",       "PRTE_",
                                                     "SLURM_", "HYDI_", "PALS_", "XDG_RUNTIME_"};
  constexpr std::array<std::string_view, 7> names{"HOSTNAME=",
                                                  "MPI_LOCALRANKID=",
                                                  "CUDA_VISIBLE_DEVICES=",
                                                  "ROCR_VISIBLE_DEVICES=",
                                                  "HIP_VISIBLE_DEVICES=",
                                                  "NVIDIA_VISIBLE_DEVICES=",
                                                  "STREAMAP_STARTED="};
  const auto begins = [&](std::string_view start) { return entry.starts_with(start); };
  return std::any_of(prefixes.begin(), prefixes.end(), begins) || std::any_of(names.begin(), names.end(), begins);
}

} // namespace

std::vector<std::byte> packSurroundings() {
  std::vector<std::string_view> variables;
  for (char **entry = environ; entry && *entry; ++entry)
    if (!belongsToProcess(*entry))
      variables.emplace_back(*entry);
  WireWriter out;
  out.putPacked(variables.size());
  for (const auto entry : variables)
    out.putText(entry);
  std::error_code error;
  out.putText(std::filesystem::current_path(error).string());
  out.putText(std::setlocale(LC_ALL, nullptr));
  const mode_t mask = umask(0);
  umask(mask);
  out.put(mask);
  return out.take();
}

std::string takeSurroundings(std::span<const std::byte> packed) {
  WireReader in(packed);
  std::vector<std::string> obsolete;
  for (char **entry = environ; entry && *entry; ++entry)
    if (!belongsToProcess(*entry))
      obsolete.emplace_back(*entry, std::strcspn(*entry, "="));
  for (const auto &name : obsolete)
    unsetenv(name.c_str());
  for (std::uint64_t left = in.getPacked(); left > 0; --left) {
    const std::string entry = in.getText();
    if (const std::size_t equals = entry.find('='); equals != std::string::npos && equals > 0)
      setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
  }
  std::string problem;
  const std::string directory = in.getText();
  if (!directory.empty() && chdir(directory.c_str()) != 0)
    problem = "cannot change to the directory " + directory + " of rank 0: " + std::strerror(errno);
  std::setlocale(LC_ALL, in.getText().c_str());
  umask(in.get<mode_t>());
  return problem;
}

} // namespace streamap
