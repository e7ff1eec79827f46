// StreamMAP runtime: whether the program's processes are its tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "streamap/abi.h"

namespace streamap {

/// The directive in front of main; null without one. Valid from the constructors on.
const streamap_program *programForm();

} // namespace streamap
