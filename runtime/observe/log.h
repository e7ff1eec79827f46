// StreamMAP runtime: what StreamMAP itself says, on standard error.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <spdlog/logger.h>

#include "base/result.h"

namespace streamap {

/// The log: one line a message, "streamap: <level>: ...". Not spdlog's default logger, which belongs to the program. Thread-safe.
spdlog::logger &log();

/// One of the words of the setting `log`.
void setLogLevel(const std::string &level);

/// Shows a user's mistake, with its hint on a line of its own.
void showError(const Error &error);

} // namespace streamap
