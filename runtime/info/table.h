// streamap-info: what there is, for people.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>

#include "discover/inventory.h"
#include "info/doctor.h"

namespace streamap {

/// The inventory: each node with its ranks and devices.
std::string describeInventory(const Inventory &inventory);

/// What is wrong, each with the fix below it; or one line that nothing is.
std::string describeFindings(std::span<const Finding> findings);

} // namespace streamap
