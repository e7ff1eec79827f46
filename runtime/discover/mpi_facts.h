// StreamMAP runtime: what this process's MPI library can do.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace streamap {

/// Which threads may make MPI's calls, in MPI's order.
enum class ThreadLevel : std::uint8_t { None, Single, Funneled, Serialized, Multiple };

/// Whether MPI's calls take pointers to a device's memory.
enum class GpuAware : std::uint8_t {
  NotTold, ///< the library has no way to ask
  No,
  Yes ///< it says so
};

struct MpiFacts {
  std::string library; ///< name and version; empty: MPI was not started
  int size = 0;        ///< ranks of MPI_COMM_WORLD
  ThreadLevel threads = ThreadLevel::None;
  GpuAware gpuAware = GpuAware::NotTold;
};

/// `MPI_THREAD_SERIALIZED`; `none` before MPI is started.
std::string_view describe(ThreadLevel level);
/// `yes`, `no`, `not told`.
std::string_view describe(GpuAware aware);

/// Asks the library. MPI has been initialised with \p granted, MPI's own number. Any thread that may call MPI.
MpiFacts inspectMpi(int granted);

} // namespace streamap
