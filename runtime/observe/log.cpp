// StreamMAP runtime: what StreamMAP itself says, on standard error.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/log.h"

#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

namespace streamap {

spdlog::logger &log() {
  // Never destroyed: a thread may fail while the process ends.
  static auto *const instance = [] {
    auto *const made = new spdlog::logger("streamap", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("streamap: %l: %v");
    made->set_level(spdlog::level::warn);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

void setLogLevel(const std::string &level) {
  log().set_level(spdlog::level::from_str(level));
}

void showError(const Error &error) {
  log().error(error.hint.empty() ? error.message : error.message + "\nstreamap: hint: " + error.hint);
}

} // namespace streamap
