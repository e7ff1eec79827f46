// StreamMAP runtime: starting MPI, and the collectives of the start.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/mpi_start.h"

#include <cstdlib>
#include <string>

namespace streamap {
namespace {

/// A variable that Open MPI reads when it is initialised, and that the program and its children need not see.
class VariableForInit {
public:
  VariableForInit(const char *name, const char *value) : name_(name), mine_(!std::getenv(name)) {
    if (mine_)
      setenv(name, value, 1);
  }
  ~VariableForInit() {
    if (mine_)
      unsetenv(name_);
  }
  VariableForInit(const VariableForInit &) = delete;
  VariableForInit &operator=(const VariableForInit &) = delete;

private:
  const char *name_;
  bool mine_;
};

/// An error says why it could not be used.
Result<void> initialise(const Launcher &launcher, MpiFacts &facts) {
  // Reading from the other process (CMA) is slower than going through shared memory, for small and large messages, and is not
  // allowed in many containers.
  const VariableForInit copyTwice("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  int granted = MPI_THREAD_SINGLE;
  if (PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &granted) != MPI_SUCCESS)
    return failure("MPI could not be initialised");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  facts = inspectMpi(granted);
  if (granted < MPI_THREAD_SERIALIZED)
    return failure("this MPI library does not let another thread than main's make its calls (MPI_THREAD_SERIALIZED)");
  if (launcher.size > 0 && facts.size != launcher.size)
    return failure("the launcher (" + launcher.name + ") started " + std::to_string(launcher.size) + " processes, but MPI sees " +
                   std::to_string(facts.size) + ": libstreamap was built with another MPI than the launcher's");
  return {};
}

bool isHead(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return Rank{rank} == headRank;
}

} // namespace

MpiStart startMpi(const Launcher &launcher) {
  MpiStart start;
  if (const auto fine = initialise(launcher, start.facts); !fine)
    start.problem = fine.error();
  MPI_Comm_dup(MPI_COMM_WORLD, &start.orders);
  MPI_Comm_dup(MPI_COMM_WORLD, &start.data);
  for (const MPI_Comm comm : {start.orders, start.data})
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(start.orders, &start.self.value);
  MPI_Comm_size(start.orders, &start.ranks);
  return start;
}

std::vector<std::vector<std::byte>> gatherBytes(std::span<const std::byte> mine, MPI_Comm comm) {
  const int bytes = static_cast<int>(mine.size());
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  std::vector<int> sizes(static_cast<std::size_t>(ranks)), starts(sizes);
  MPI_Gather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, headRank.value, comm);
  int total = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    starts[i] = total;
    total += sizes[i];
  }
  std::vector<std::byte> all(static_cast<std::size_t>(total));
  MPI_Gatherv(mine.data(), bytes, MPI_BYTE, all.data(), sizes.data(), starts.data(), MPI_BYTE, headRank.value, comm);
  std::vector<std::vector<std::byte>> byRank;
  if (isHead(comm))
    for (std::size_t i = 0; i < sizes.size(); ++i)
      byRank.emplace_back(all.begin() + starts[i], all.begin() + starts[i] + sizes[i]);
  return byRank;
}

std::vector<std::byte> spreadBytes(std::vector<std::byte> mine, MPI_Comm comm) {
  std::vector<std::byte> bytes;
  if (isHead(comm))
    bytes = std::move(mine);
  auto size = static_cast<std::uint64_t>(bytes.size());
  MPI_Bcast(&size, sizeof size, MPI_BYTE, headRank.value, comm);
  bytes.resize(size);
  MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, headRank.value, comm);
  return bytes;
}

void leaveMpi() {
  PMPI_Finalize();
}

} // namespace streamap
