// StreamMAP runtime: what this process's MPI library can do.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "discover/mpi_facts.h"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>

namespace streamap {
namespace {

/// Each MPI has its own way to ask, or none; looked up so that one binary asks whichever it runs with.
GpuAware askGpuAware() {
  if (auto *const openMpi = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support")))
    return openMpi() ? GpuAware::Yes : GpuAware::No;
  constexpr int cuda = 0; // MPIX_GPU_SUPPORT_CUDA
  int supported = 0;
  if (auto *const mpich = reinterpret_cast<int (*)(int, int *)>(dlsym(RTLD_DEFAULT, "MPIX_GPU_query_support")))
    if (mpich(cuda, &supported) == MPI_SUCCESS)
      return supported ? GpuAware::Yes : GpuAware::No;
  return GpuAware::NotTold;
}

} // namespace

std::string_view describe(ThreadLevel level) {
  static constexpr std::array<std::string_view, 5> names{"none", "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                                         "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  return names.at(static_cast<std::size_t>(level));
}

std::string_view describe(GpuAware aware) {
  static constexpr std::array<std::string_view, 3> names{"not told", "no", "yes"};
  return names.at(static_cast<std::size_t>(aware));
}

MpiFacts inspectMpi(int granted) {
  MpiFacts facts;
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  facts.library = std::string(version.data(), static_cast<std::size_t>(length));
  facts.library.resize(
      std::min(facts.library.find_first_of(",\n"), facts.library.size())); // what follows is who built it, and when
  MPI_Comm_size(MPI_COMM_WORLD, &facts.size);
  facts.threads = granted >= MPI_THREAD_MULTIPLE     ? ThreadLevel::Multiple
                  : granted >= MPI_THREAD_SERIALIZED ? ThreadLevel::Serialized
                  : granted >= MPI_THREAD_FUNNELED   ? ThreadLevel::Funneled
                                                     : ThreadLevel::Single;
  facts.gpuAware = askGpuAware();
  return facts;
}

} // namespace streamap
