// StreamMAP runtime: what kind of memory an address of the program is.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "head/storage.h"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <memory>

namespace streamap {

ByteRun callersStack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return {};
  void *lowest = nullptr;
  std::size_t bytes = 0;
  ByteRun stack;
  if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0) {
    auto lo = reinterpret_cast<std::uintptr_t>(lowest);
    stack = {lo, lo + bytes};
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

RunSet staticStorage() {
  RunSet runs;
  dl_iterate_phdr(
      [](dl_phdr_info *module, std::size_t, void *out) {
        for (int k = 0; k < module->dlpi_phnum; ++k) {
          const auto &segment = module->dlpi_phdr[k];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_W))
            continue;
          HomeAddress lo = module->dlpi_addr + segment.p_vaddr;
          static_cast<RunSet *>(out)->push_back({lo, lo + segment.p_memsz});
        }
        return 0;
      },
      &runs);
  normalise(runs);
  return runs;
}

bool allMapped(std::span<const ByteRun> runs) {
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  RunSet pages;
  for (ByteRun run : runs) {
    ByteRun whole{run.lo / page * page, (run.hi + page - 1) / page * page};
    if (!pages.empty() && whole.lo <= pages.back().hi)
      pages.back().hi = whole.hi;
    else
      pages.push_back(whole);
  }
  return std::all_of(pages.begin(), pages.end(), [](ByteRun run) {
    auto *first = reinterpret_cast<void *>(run.lo); // NOLINT(performance-no-int-to-ptr)
    // MS_ASYNC does nothing on Linux but tell whether there are holes.
    return msync(first, run.bytes(), MS_ASYNC) == 0 || errno != ENOMEM;
  });
}

RunSet unmappedParts(std::span<const ByteRun> runs) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> maps(std::fopen("/proc/self/maps", "re"), &std::fclose);
  if (!maps)
    return {}; // cannot be known here
  RunSet mapped;
  char line[512];
  while (std::fgets(line, sizeof line, maps.get())) {
    ByteRun run;
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64, &run.lo, &run.hi) == 2)
      mapped.push_back(run);
  }
  normalise(mapped);
  return subtract(runs, mapped);
}

} // namespace streamap
