// StreamMAP runtime: the OpenMP runtime of the program, if it has one.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/openmp.h"

#include <dlfcn.h>

#include <atomic>

namespace streamap {
namespace {
using SetNumThreads = void (*)(int);
std::atomic<SetNumThreads> setNumThreads{nullptr};
} // namespace

void findOpenMp() {
  setNumThreads = reinterpret_cast<SetNumThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
}

void setTeamSize(int threads) {
  if (const SetNumThreads set = setNumThreads.load(std::memory_order_relaxed))
    set(threads);
}

} // namespace streamap
