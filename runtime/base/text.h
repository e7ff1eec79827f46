// StreamMAP runtime: what people write, compared as they mean it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace streamap {

/// The name in \p names that \p wrong was meant to be, or nothing when none is near. Pure.
std::optional<std::string_view> nearestName(std::string_view wrong, std::span<const std::string_view> names);

/// \p text with A to Z in lower case, whatever the locale is. Pure.
std::string lowered(std::string_view text);

} // namespace streamap
