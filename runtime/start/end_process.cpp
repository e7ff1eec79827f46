// StreamMAP runtime: ending a process whose threads cannot all be asked to end.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/end_process.h"
#include "base/sanitizers.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace streamap {
namespace {

/// A thread that is stopped inside printf holds the stream for ever: what it has is lost then.
void flushIfFree(std::FILE *stream) {
  if (ftrylockfile(stream) != 0)
    return;
  fflush_unlocked(stream);
  funlockfile(stream);
}

} // namespace

void endProcess(int code) {
  flushIfFree(stdout);
  flushIfFree(stderr);
  // A program that measures its coverage keeps what its tasks did.
  if (auto *const dump = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "__gcov_dump")))
    dump();
#if defined(STREAMAP_THREAD_SANITIZER) || defined(STREAMAP_ADDRESS_SANITIZER)
  if (code == 0)
    std::exit(code); // or the sanitizer's verdict would be lost
#endif
  _exit(code);
}

} // namespace streamap
