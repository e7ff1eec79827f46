// StreamMAP simulator: graphs of real runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/result.h"
#include "simulate/program.h"

namespace streamap::simulate {

/// Reads what STREAMAP_RECORD has written. Bytes that the same tasks use in the same way become one datum. Tasks of one function
/// and size become one function here, whose time on a kind of processor is the median of what was measured there; each task keeps
/// how far it was from that. What was measured on no kind of processor that the cluster has is taken from cost and speed, where a
/// recorded core does Cluster's default of operations a second. Errors name the file and the place in it.
Result<Program> readRecorded(const std::string &path);

} // namespace streamap::simulate
