// StreamMAP runtime: an exception that a task has thrown, in words.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace streamap {

/// "an exception of type X left it: what". Only within a catch block.
std::string describeException();

} // namespace streamap
