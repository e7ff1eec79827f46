// The table that the checks on a device print.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include "device/device_error.h"

namespace streamap::gpu {

/// One line a check, at once, so that a hang shows where.
class Table {
public:
  void pass(const std::string &check, const std::string &value = {}) { row("OK", check, value); }
  void skip(const std::string &check, const std::string &why) { row("SKIP", check, why); }
  void fail(const std::string &check, const std::string &why) {
    row("FAIL", check, why);
    ++failures_;
  }
  int failures() const { return failures_; }

private:
  static void row(const char *verdict, const std::string &check, const std::string &value) {
    std::printf("| %-4s | %-46s | %s\n", verdict, check.c_str(), value.c_str());
    std::fflush(stdout);
  }
  int failures_ = 0;
};

/// The value; an error ends the check it happens in.
template <class T> T need(DeviceResult<T> result) {
  if (!result)
    throw std::runtime_error(result.error().text.message +
                             (result.error().text.hint.empty() ? "" : " (" + result.error().text.hint + ")"));
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

} // namespace streamap::gpu
