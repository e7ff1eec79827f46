// The CUDA double: device memory that several processes share.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ledger.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace doubles {

MemoryLedger::MemoryLedger(const std::string &path, std::size_t devices)
    : bytes_(std::max<std::size_t>(devices, 1) * sizeof(std::uint64_t)) {
  int file = -1;
  if (!path.empty()) {
    file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes_)) != 0)
      throw std::runtime_error("cannot write " + path);
  }
  void *const memory =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
  if (file >= 0)
    close(file);
  if (memory == MAP_FAILED)
    throw std::runtime_error("cannot map " + path);
  used_ = static_cast<std::uint64_t *>(memory);
}

MemoryLedger::~MemoryLedger() {
  munmap(used_, bytes_);
}

bool MemoryLedger::take(std::size_t position, std::uint64_t bytes, std::uint64_t limit) {
  const std::atomic_ref used(used_[position]);
  std::uint64_t before = used.load();
  do {
    if (bytes > limit || before > limit - bytes)
      return false;
  } while (!used.compare_exchange_weak(before, before + bytes));
  return true;
}

void MemoryLedger::giveBack(std::size_t position, std::uint64_t bytes) {
  std::atomic_ref(used_[position]).fetch_sub(bytes);
}

std::uint64_t MemoryLedger::used(std::size_t position) const {
  return std::atomic_ref(used_[position]).load();
}

} // namespace doubles
