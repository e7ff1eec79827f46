//===- StandardInput.cpp - A source that comes through a pipe -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandardInput.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace streamap {

namespace {

bool Kept = false;

bool writeAll(int Descriptor, llvm::StringRef Text) {
  while (!Text.empty()) {
    const ssize_t Written = write(Descriptor, Text.data(), Text.size());
    if (Written < 0 && errno != EINTR)
      return false;
    Text = Text.drop_front(Written > 0 ? static_cast<size_t>(Written) : 0);
  }
  return true;
}

} // namespace

bool keepStandardInput() {
  if (Kept)
    return true;
  auto Buffer = llvm::MemoryBuffer::getSTDIN();
  if (!Buffer) {
    errno = Buffer.getError().value();
    return false;
  }
  const int Copy = memfd_create("stdin", MFD_CLOEXEC);
  if (Copy < 0 || !writeAll(Copy, (*Buffer)->getBuffer()) || dup2(Copy, STDIN_FILENO) < 0)
    return false;
  close(Copy);
  Kept = true;
  rewindStandardInput();
  return true;
}

void rewindStandardInput() {
  if (Kept)
    lseek(STDIN_FILENO, 0, SEEK_SET);
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> rereadStandardInput() {
  if (!keepStandardInput())
    return std::error_code(errno, std::generic_category());
  rewindStandardInput();
  return llvm::MemoryBuffer::getSTDIN();
}

} // namespace streamap
