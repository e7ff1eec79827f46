// streamap-info: what is wrong or slow, and what to do about it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discover/inventory.h"

namespace streamap {

struct Finding {
  std::string_view code; ///< one of findingCodes(), for programs
  std::string where;     ///< `nodeA`, `rank 3 on nodeA`
  std::string what;
  std::string fix;
};

/// All codes, in the order in which they are looked for. docs/discovery.md has a line for each.
const std::vector<std::string_view> &findingCodes();

/// What is wrong or slow. Nothing where all is well. \p devicesSetting: the setting `devices`. Pure.
std::vector<Finding> diagnose(const Inventory &inventory, std::string_view devicesSetting);

} // namespace streamap
