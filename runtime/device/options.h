// StreamMAP runtime: the options behind a backend's name in the setting `devices`.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "device/backend.h"

namespace streamap {

/// An option that a backend knows.
struct KnownOption {
  std::string_view key;
  /// Takes the value over, or says which values are right.
  std::function<Result<void>(const std::string &value)> set;
};

/// Gives each option to the known one of its name. An unknown one, or one that stands there twice, is an error that names the
/// nearest right one.
Result<void> readOptions(std::span<const DeviceOption> options, std::span<const KnownOption> known);

/// A number with a point, from \p least to \p most.
Result<double> readNumber(const std::string &text, double least, double most);

/// `9.0`: major and minor, one digit each for the minor.
Result<ComputeCapability> readCapability(const std::string &text);

} // namespace streamap
