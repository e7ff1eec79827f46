// StreamMAP runtime: one writer of a file at a time, whatever programs they are in.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace streamap {

/// Holds the lock of a file that is made for it, until it is destroyed or the process ends. Waits for others.
class FileLock {
public:
  explicit FileLock(const std::string &path) : handle_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    while (handle_ >= 0 && flock(handle_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (handle_ >= 0)
      close(handle_);
  }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  /// False where the file could not be made; errno says why.
  bool held() const { return handle_ >= 0; }

private:
  int handle_;
};

} // namespace streamap
