// StreamMAP runtime: waking a sleeping progress thread, in this process or another of the same machine.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comm/doorbell.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <new>
#include <string>

namespace streamap {
namespace {

constexpr std::size_t pageBytes = 4096;

/// Without FUTEX_PRIVATE_FLAG: the word is shared between processes.
void futex(std::atomic<std::uint32_t> &word, int operation, std::uint32_t value, const timespec *timeout) {
  static_assert(sizeof word == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t *>(&word), operation, value, timeout, nullptr, 0);
}

BellWord *mapWord(int handle) {
  void *const page = mmap(nullptr, pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
  return page == MAP_FAILED ? nullptr : static_cast<BellWord *>(page);
}

} // namespace

void ringBell(BellWord &bell) {
  bell.rings.fetch_add(1);
  if (bell.asleep.load() != 0)
    futex(bell.rings, FUTEX_WAKE, 1, nullptr);
}

Doorbell::Doorbell() {
  // A descriptor that others open through /proc, and not a named file that a killed process would leave behind.
  const int handle = memfd_create("streamap-doorbell", MFD_CLOEXEC);
  if (handle < 0)
    return;
  if (ftruncate(handle, pageBytes) == 0)
    if (BellWord *const word = mapWord(handle)) {
      word_ = new (word) BellWord;
      handle_ = handle;
      return;
    }
  close(handle);
}

Doorbell::~Doorbell() {
  if (handle_ < 0)
    return;
  munmap(word_, pageBytes);
  close(handle_);
}

void Doorbell::lieDown() {
  seen_ = word_->rings.load();
  word_->asleep.store(1);
}

void Doorbell::sleep(std::chrono::microseconds longest) {
  const timespec timeout{static_cast<time_t>(longest.count() / 1'000'000), static_cast<long>(longest.count() % 1'000'000 * 1000)};
  futex(word_->rings, FUTEX_WAIT, seen_, &timeout);
}

void Doorbell::getUp() {
  word_->asleep.store(0);
}

std::unique_ptr<RemoteDoorbell> RemoteDoorbell::open(int pid, int handle) {
  const int file = ::open(("/proc/" + std::to_string(pid) + "/fd/" + std::to_string(handle)).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return nullptr;
  BellWord *const word = mapWord(file);
  close(file);
  return word ? std::unique_ptr<RemoteDoorbell>(new RemoteDoorbell(word)) : nullptr;
}

RemoteDoorbell::~RemoteDoorbell() {
  munmap(word_, pageBytes);
}

} // namespace streamap
